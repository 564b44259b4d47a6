// The red-black trees of std::map and std::set: walking, inserting and erasing nodes, after Cormen, Leiserson, Rivest
// and Stein. The header node holds the root (parent), the first (left) and the last node (right), and is red, which
// tells it from the root when walking back from the end.
#include <map>

namespace std {

namespace {

using Node = _Rb_tree_node_base;

bool is_red(const Node* node) {
  return node != nullptr && node->_M_color == _S_red;
}

Node* next_of(Node* node) {
  if (node->_M_right != nullptr) {
    node = node->_M_right;
    while (node->_M_left != nullptr) node = node->_M_left;
    return node;
  }
  Node* parent = node->_M_parent;
  while (node == parent->_M_right) {
    node = parent;
    parent = parent->_M_parent;
  }
  // The last node of a tree whose root has no right child: parent is the root and node the header already.
  return node->_M_right != parent ? parent : node;
}

Node* previous_of(Node* node) {
  if (node->_M_color == _S_red && node->_M_parent->_M_parent == node) return node->_M_right;  // the end
  if (node->_M_left != nullptr) {
    node = node->_M_left;
    while (node->_M_right != nullptr) node = node->_M_right;
    return node;
  }
  Node* parent = node->_M_parent;
  while (node == parent->_M_left) {
    node = parent;
    parent = parent->_M_parent;
  }
  return parent;
}

// Puts `to` where `from` hangs below its parent.
void replace(Node* from, Node* to, Node*& root) {
  if (from == root) {
    root = to;
  } else if (from == from->_M_parent->_M_left) {
    from->_M_parent->_M_left = to;
  } else {
    from->_M_parent->_M_right = to;
  }
}

void rotate_left(Node* node, Node*& root) {
  Node* const up = node->_M_right;
  node->_M_right = up->_M_left;
  if (up->_M_left != nullptr) up->_M_left->_M_parent = node;
  up->_M_parent = node->_M_parent;
  replace(node, up, root);
  up->_M_left = node;
  node->_M_parent = up;
}

void rotate_right(Node* node, Node*& root) {
  Node* const up = node->_M_left;
  node->_M_left = up->_M_right;
  if (up->_M_right != nullptr) up->_M_right->_M_parent = node;
  up->_M_parent = node->_M_parent;
  replace(node, up, root);
  up->_M_right = node;
  node->_M_parent = up;
}

// `node` (perhaps null) below `parent` lacks one black: pass it up or make it good.
void repair_after_erase(Node* node, Node* parent, Node*& root) {
  while (node != root && !is_red(node)) {
    const bool left = node == parent->_M_left;
    Node* sibling = left ? parent->_M_right : parent->_M_left;
    if (is_red(sibling)) {
      sibling->_M_color = _S_black;
      parent->_M_color = _S_red;
      left ? rotate_left(parent, root) : rotate_right(parent, root);
      sibling = left ? parent->_M_right : parent->_M_left;
    }
    Node* const near = left ? sibling->_M_left : sibling->_M_right;
    Node* far = left ? sibling->_M_right : sibling->_M_left;
    if (!is_red(near) && !is_red(far)) {
      sibling->_M_color = _S_red;
      node = parent;
      parent = parent->_M_parent;
      continue;
    }
    if (!is_red(far)) {
      near->_M_color = _S_black;
      sibling->_M_color = _S_red;
      left ? rotate_right(sibling, root) : rotate_left(sibling, root);
      far = sibling;
      sibling = near;
    }
    sibling->_M_color = parent->_M_color;
    parent->_M_color = _S_black;
    far->_M_color = _S_black;
    left ? rotate_left(parent, root) : rotate_right(parent, root);
    break;
  }
  if (node != nullptr) node->_M_color = _S_black;
}

}  // namespace

Node* _Rb_tree_increment(Node* node) noexcept {
  return next_of(node);
}
const Node* _Rb_tree_increment(const Node* node) noexcept {
  return next_of(const_cast<Node*>(node));
}
Node* _Rb_tree_decrement(Node* node) noexcept {
  return previous_of(node);
}
const Node* _Rb_tree_decrement(const Node* node) noexcept {
  return previous_of(const_cast<Node*>(node));
}

void _Rb_tree_insert_and_rebalance(const bool insert_left, Node* node, Node* parent, Node& header) noexcept {
  Node*& root = header._M_parent;
  node->_M_parent = parent;
  node->_M_left = nullptr;
  node->_M_right = nullptr;
  node->_M_color = _S_red;
  if (insert_left) {
    parent->_M_left = node;  // where parent is the header: also its first node
    if (parent == &header) {
      root = node;
      header._M_right = node;
    } else if (parent == header._M_left) {
      header._M_left = node;
    }
  } else {
    parent->_M_right = node;
    if (parent == header._M_right) header._M_right = node;
  }
  while (node != root && node->_M_parent->_M_color == _S_red) {
    Node* const above = node->_M_parent;
    Node* const top = above->_M_parent;
    const bool left = above == top->_M_left;
    Node* const uncle = left ? top->_M_right : top->_M_left;
    if (is_red(uncle)) {
      above->_M_color = _S_black;
      uncle->_M_color = _S_black;
      top->_M_color = _S_red;
      node = top;
      continue;
    }
    if (node == (left ? above->_M_right : above->_M_left)) {
      node = above;
      left ? rotate_left(node, root) : rotate_right(node, root);
    }
    node->_M_parent->_M_color = _S_black;
    top->_M_color = _S_red;
    left ? rotate_right(top, root) : rotate_left(top, root);
  }
  root->_M_color = _S_black;
}

Node* _Rb_tree_rebalance_for_erase(Node* const erased, Node& header) noexcept {
  Node*& root = header._M_parent;
  if (header._M_left == erased) header._M_left = next_of(erased);
  if (header._M_right == erased) header._M_right = previous_of(erased);
  Node* child = nullptr;   // takes the place of what leaves its place
  Node* parent = nullptr;  // of that place, afterwards
  _Rb_tree_color lost = erased->_M_color;
  if (erased->_M_left != nullptr && erased->_M_right != nullptr) {
    // Its successor, which has no left child, takes its place and colour.
    Node* heir = erased->_M_right;
    while (heir->_M_left != nullptr) heir = heir->_M_left;
    child = heir->_M_right;
    lost = heir->_M_color;
    parent = heir;
    if (heir != erased->_M_right) {
      parent = heir->_M_parent;
      parent->_M_left = child;
      if (child != nullptr) child->_M_parent = parent;
      heir->_M_right = erased->_M_right;
      heir->_M_right->_M_parent = heir;
    }
    heir->_M_left = erased->_M_left;
    heir->_M_left->_M_parent = heir;
    replace(erased, heir, root);
    heir->_M_parent = erased->_M_parent;
    heir->_M_color = erased->_M_color;
  } else {
    child = erased->_M_left != nullptr ? erased->_M_left : erased->_M_right;
    parent = erased->_M_parent;
    if (child != nullptr) child->_M_parent = parent;
    replace(erased, child, root);
  }
  if (lost == _S_black && root != nullptr) repair_after_erase(child, parent, root);
  return erased;
}

}  // namespace std
