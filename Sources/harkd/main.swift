import Glibc
import HarkDaemon

let code = HarkDaemonCommand.run(CommandLine.arguments)
// Not by `exit`: what that takes down (OpenSSL's state, for one) a thread of a delivery may be in the midst of using.
fflush(nil)
_exit(code)
