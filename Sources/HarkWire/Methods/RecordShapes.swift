/// Shapes shared by replies and notifications with records.
extension Shape {
    package static let partOfEvent = Shape.named(
        "PartOfEvent",
        .members([
            .maybe("id", .id), .always("seq", .count), .maybe("name", .string), .maybe("timestamp", .time),
            .maybe("sessionId", .id), .maybe("userId", .string, "unless anonymous"),
            .maybe("properties", .properties), .maybe("source", SourceInfo.shape),
            .maybe("origin", OriginInfo.shape, "on a hub, of what comes from a machine"),
        ]))

    package static let uid = Shape.integer(in: 0...Int64(UInt32.max))
}

extension Shape.Member {
    package static let droppedProperties = maybe("droppedProperties", .strings, "keys that were null, and left out")
    package static let droppedMetadata = maybe("droppedMetadata", .strings, "keys whose values were left out")
}
