/// The words of questions that have the same ones everywhere, in English as the daemon tells them.
package enum UsualLabels {
    package static let satisfaction = [
        "Very dissatisfied", "Dissatisfied", "Neutral", "Satisfied", "Very satisfied",
    ]
    package static let agreement = [
        "Strongly disagree", "Disagree", "Somewhat disagree", "Neither agree nor disagree", "Somewhat agree", "Agree",
        "Strongly agree",
    ]
    package static let yesNo = ["Yes", "No"]
    /// The option that a text is written beside.
    package static let other = "Other"
    package static let consent = ["I agree", "I do not agree"]
}
