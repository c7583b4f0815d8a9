import HarkCore
import HarkSystem

/// Says in the log that surveys were not looked at as there are too many of them, or what they search is too long: with
/// the first event, the tenth, the hundredth and so on.
@DaemonActor
struct PassedOverSurveys {
    private var count = 0

    mutating func note(_ passedOver: [PassedOver]) {
        for one in passedOver {
            count += 1
            guard count.isPowerOfTen else { continue }
            let times = count == 1 ? "" : " (\(count) times so far)"
            Log.warning(
                "surveys from '\(one.survey)' on were not looked at when '\(one.name)' came, as those before them took too "
                    + "long\(times); have fewer listen to it, search fewer texts, or record shorter ones",
                ["survey": one.survey])
        }
    }
}
