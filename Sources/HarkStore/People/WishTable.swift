internal import HarkCore
internal import HarkWire

enum WishTable: NumberedTable {
    typealias Row = (key: WishKey, wish: Wish)

    static let name = "wish"
    static let kind = "a mute or limit of an account"

    static func map(_ column: inout Columns<Row>) throws(StoreError) -> Row {
        let (uid, survey) = (column("uid", .key) { $0.key.uid }, column("survey", .key) { $0.key.survey?.text ?? "" })
        var wish = Wish()
        wish.mutedUntil = column("muted") { $0.wish.mutedUntil }
        wish.mutesPrompts = column("prompts") { $0.wish.mutesPrompts }
        wish.every = column("every") { $0.wish.every }
        wish.askedAt = column("asked") { $0.wish.askedAt }
        wish.askedFromAfarAt = column("afar") { $0.wish.askedFromAfarAt }
        if let every = wish.every, every < 0 { throw StoreError.outOfRange("every", every, in: 0 ... .max) }
        return (WishKey(uid: uid, survey: survey.isEmpty ? nil : survey), wish)
    }
}
