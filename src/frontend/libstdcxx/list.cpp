// Linking and unlinking of std::list's nodes: a ring with a sentinel.
#include <list>

namespace std::__detail {

void _List_node_base::_M_hook(_List_node_base* const position) noexcept {
  _M_next = position;
  _M_prev = position->_M_prev;
  position->_M_prev->_M_next = this;
  position->_M_prev = this;
}

void _List_node_base::_M_unhook() noexcept {
  _M_prev->_M_next = _M_next;
  _M_next->_M_prev = _M_prev;
}

// Moves [first, last) before this.
void _List_node_base::_M_transfer(_List_node_base* const first, _List_node_base* const last) noexcept {
  if (this == last) return;
  _List_node_base* const tail = last->_M_prev;
  first->_M_prev->_M_next = last;
  last->_M_prev = first->_M_prev;
  _M_prev->_M_next = first;
  first->_M_prev = _M_prev;
  tail->_M_next = this;
  _M_prev = tail;
}

void _List_node_base::_M_reverse() noexcept {
  _List_node_base* node = this;
  do {
    _List_node_base* const next = node->_M_next;
    node->_M_next = node->_M_prev;
    node->_M_prev = next;
    node = next;
  } while (node != this);
}

void _List_node_base::swap(_List_node_base& a, _List_node_base& b) noexcept {
  const bool a_empty = a._M_next == &a;
  const bool b_empty = b._M_next == &b;
  const _List_node_base was = a;
  // The neighbours of each ring follow its new sentinel; an empty ring points to itself.
  if (b_empty) {
    a._M_next = a._M_prev = &a;
  } else {
    a = b;
    a._M_next->_M_prev = a._M_prev->_M_next = &a;
  }
  if (a_empty) {
    b._M_next = b._M_prev = &b;
  } else {
    b = was;
    b._M_next->_M_prev = b._M_prev->_M_next = &b;
  }
}

}  // namespace std::__detail
