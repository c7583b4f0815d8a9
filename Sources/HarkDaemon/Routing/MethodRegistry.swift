/// All methods of the protocol. A new family of methods is a file in `Methods/` and a line here.
package enum MethodRegistry {
    package static let all: [Method] = [
        EventMethods.all,
        SessionMethods.all,
        StreamMethods.all,
        SurveyMethods.all,
        CounterMethods.all,
        ExecutionMethods.all,
        FormMethods.all,
        ProfileMethods.all,
        LogMethods.all,
        DeliveryMethods.all,
        NetworkMethods.all,
        FlagMethods.all,
        DaemonMethods.all,
        DiscoveryMethods.all,
    ].flatMap(\.self)
}
