// small_disk BYTES FOLDER COMMAND...: runs COMMAND as if FOLDER were on a disk with room for BYTES: a write, fallocate or mkdir that does not fit
// fails with ENOSPC, in it and in all that it starts. Needs no rights and mounts nothing (seccomp's user notification: the kernel asks
// this process about each such call). Exit code: that of COMMAND; 125 if the machine cannot do this.
//
// Not a whole disk: what is stored to mapped pages and the making of files are not counted before the next call. A write fits or
// fails as a whole; one that fails takes what was left, as it does of a disk, where its first part fits.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned long long used, limit;
static int add(const char* path, const struct stat* status, int kind, struct FTW* place) {
  (void)path, (void)place;
  if (kind == FTW_F) used += (unsigned long long)status->st_blocks * 512;
  return 0;
}

static void cannot(const char* what) {
  fprintf(stderr, "small_disk: %s: %s\n", what, strerror(errno));
  _exit(125);
}

// The filter is for this process and its children; the answer to each of the calls below is given through the returned descriptor.
static int install(void) {
#define ASK_ABOUT(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF)
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      ASK_ABOUT(SYS_write),
      ASK_ABOUT(SYS_pwrite64),
      ASK_ABOUT(SYS_fallocate),
      ASK_ABOUT(SYS_mkdir),
      ASK_ABOUT(SYS_mkdirat),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof code / sizeof code[0], code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) cannot("PR_SET_NO_NEW_PRIVS");
  return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
}

// One descriptor through a socket.
static void pass(int socket, int* descriptor, int sends) {
  char byte = 0, room[CMSG_SPACE(sizeof(int))] = {0};
  struct iovec data = {&byte, 1};
  struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
  struct cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (sends) {
    header->cmsg_level = SOL_SOCKET, header->cmsg_type = SCM_RIGHTS, header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), descriptor, sizeof(int));
    if (sendmsg(socket, &message, 0) != 1) cannot("sendmsg");
  } else {
    // Nothing: the child has said why.
    if (recvmsg(socket, &message, 0) != 1 || !(header = CMSG_FIRSTHDR(&message))) _exit(125);
    memcpy(descriptor, CMSG_DATA(header), sizeof(int));
  }
}

// What /proc/PID/NAME points to; "" if nothing.
static void follow(char* path, size_t size, unsigned pid, const char* name, int number) {
  char link[64];
  snprintf(link, sizeof link, number < 0 ? "/proc/%u/%s" : "/proc/%u/%s/%d", pid, name, number);
  const ssize_t length = readlink(link, path, size - 1);
  path[length < 0 ? 0 : length] = 0;
}

// The file that is written to, or the folder that is made (if its name is relative: where).
static void path_of(const struct seccomp_notif* asked, char* path, size_t size) {
  const int at = asked->data.nr == SYS_mkdirat, makes = at || asked->data.nr == SYS_mkdir;
  if (makes) {
    char memory[64];
    snprintf(memory, sizeof memory, "/proc/%u/mem", asked->pid);
    const int fd = open(memory, O_RDONLY | O_CLOEXEC);
    const ssize_t length = fd < 0 ? -1 : pread(fd, path, size - 1, (off_t)asked->data.args[at]);
    if (fd >= 0) close(fd);
    path[length < 0 ? 0 : length] = 0;
    if (path[0] == '/') return;
  }
  const int descriptor = (int)asked->data.args[0];
  if (makes && (!at || descriptor == AT_FDCWD)) follow(path, size, asked->pid, "cwd", -1);
  else follow(path, size, asked->pid, "fd", descriptor);
  if (makes) strncat(path, "/", size - strlen(path) - 1);
}

static int fits(const struct seccomp_notif* asked, const char* folder) {
  char path[4096];
  path_of(asked, path, sizeof path);
  if (strncmp(path, folder, strlen(folder)) != 0 || path[strlen(folder)] != '/') return 1;
  used = 0;
  nftw(folder, add, 16, FTW_PHYS);
  const int call = asked->data.nr;
  if (call == SYS_mkdir || call == SYS_mkdirat) return used + 4096 <= limit;
  if (used + asked->data.args[call == SYS_fallocate ? 3 : 2] <= limit) return 1;
  if (call != SYS_fallocate) limit = used;
  return 0;
}

int main(int argc, char** argv) {
  if (argc < 4) return 125;
  limit = strtoull(argv[1], NULL, 10);
  const char* folder = realpath(argv[2], NULL);
  int sockets[2], listener;
  if (folder == NULL || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) cannot(argv[2]);
  const pid_t child = fork();
  if (child == 0) {
    listener = install();
    if (listener < 0) cannot("seccomp");
    pass(sockets[1], &listener, 1);
    close(listener);
    execvp(argv[3], argv + 3);
    // No message: nobody may be left who answers for a write.
    _exit(127);
  }
  close(sockets[1]);
  pass(sockets[0], &listener, 0);
  const int ends = (int)syscall(SYS_pidfd_open, child, 0);
  if (ends < 0) cannot("pidfd_open");
  struct pollfd both[] = {{listener, POLLIN, 0}, {ends, POLLIN, 0}};
  while (poll(both, 2, -1) > 0 || errno == EINTR) {
    if (both[0].revents & POLLIN) {
      struct seccomp_notif asked = {0};
      if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &asked) != 0) continue;  // it was killed meanwhile
      const int room = fits(&asked, folder);
      struct seccomp_notif_resp answer = {.id = asked.id, .error = room ? 0 : -ENOSPC};
      if (room) answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
      ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
    } else if (both[1].revents & POLLIN) {
      break;
    }
  }
  int status;
  if (waitpid(child, &status, 0) != child) cannot("waitpid");
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
