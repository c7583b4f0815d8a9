/// All methods of the protocol. A new family of methods is a file in `Methods/` and a line here.
enum MethodRegistry {
    static let all: [Method] =
        DaemonMethods.all + SessionMethods.all + EventMethods.all + StreamMethods.all
}
