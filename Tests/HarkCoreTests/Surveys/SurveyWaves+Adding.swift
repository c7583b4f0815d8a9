import HarkWire

@testable import HarkCore

extension SurveyWaves {
    /// Adds a showing as its row would lie in the store.
    func add(_ showing: Presentation, on machine: MachineIdentity? = nil) {
        func withText(_ text: String?, _ body: (UnsafeBufferPointer<UInt8>?) -> Void) {
            guard var text else { return body(nil) }
            text.withUTF8(body)
        }
        withText(showing.user.userId ?? "") { user in
            withText(showing.app) { app in
                withText(showing.locale) { locale in
                    withText(showing.reason) { reason in
                        showing.answers.packed.withBytes { answers in
                            showing.times.properties.withBytes { times in
                                showing.trigger.withBytes { trigger in
                                    let none = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
                                    let row = ShowingRow(
                                        state: showing.state, uid: showing.user.uid, user: user ?? none,
                                        app: app ?? none, locale: locale, reason: reason, due: showing.dueAt,
                                        presented: showing.presentedAt, closed: showing.closedAt, answers: answers,
                                        times: times, trigger: trigger)
                                    _ = add(row, on: machine)
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
