import HarkCore
import HarkSystem

/// Logs that surveys were skipped because they are too many or search too long, or that one was not scheduled for lack
/// of room: with the first event, the tenth, the hundredth and so on.
@DaemonActor
struct PassedOverSurveys {
    private var slow = 0
    private var lacking = 0

    mutating func note(_ passedOver: [PassedOver]) {
        for one in passedOver {
            let count = one.lack == nil ? slow + 1 : lacking + 1
            if one.lack == nil { slow = count } else { lacking = count }
            guard count.isPowerOfTen else { continue }
            let times = count == 1 ? "" : " (\(count) times so far)"
            let text =
                if let lack = one.lack {
                    "the survey '\(one.survey)' was not scheduled when '\(one.name)' came\(times): \(lack)"
                } else {
                    "surveys from '\(one.survey)' on were not looked at when '\(one.name)' came, as those before them took "
                        + "too long\(times); have fewer listen to it, search fewer texts, or record shorter ones"
                }
            Log.warning(text, ["survey": one.survey])
        }
    }
}
