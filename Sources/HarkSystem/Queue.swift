/// A FIFO queue.
///
/// An `ArraySlice` would retain removed elements until it is copied, and with them a connection that should close.
package struct Queue<Element> {
    private var elements: [Element?] = []
    private var head = 0

    package init() {}

    package var count: Int { elements.count - head }

    package var isEmpty: Bool { count == 0 }

    package mutating func append(_ element: Element) { elements.append(element) }

    package mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        let first = elements[head]
        elements[head] = nil
        head += 1
        if head == elements.count {
            elements.removeAll(keepingCapacity: elements.capacity <= 1_024)
            head = 0
        } else if head >= 64, head * 2 > elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return first
    }

    /// All elements, the first one first.
    package var all: [Element] { elements[head...].compactMap(\.self) }
}
