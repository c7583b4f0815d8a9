/// Completions for the last word of a command line, for the scripts of the shells.
///
/// A candidate is a line, with its description behind a tab. A line that begins with a tab tells what the shell
/// completes itself: `files`, `folders` or `program`, and behind another tab the part of the word that stands before.
/// Commands, options and their values are all printed, for any beginning of the word: each shell has its own ways of
/// matching.
struct LineCompletion {
    let line: UnfinishedLine

    func print(_ console: Console) throws {
        for (word, summary) in line.words { try console.print(value: "\(word)\t\(summary)") }
        let (values, before, summary) = line.values
        switch values {
        case .any, .commands: break
        case .files: try console.print(value: "\tfiles\t\(before)")
        case .folders: try console.print(value: "\tfolders\t\(before)")
        case .program: try console.print(value: "\tprogram\t")
        case .words(let words):
            for word in words { try console.print(value: before + word + (summary.map { "\t\($0)" } ?? "")) }
        case .names(let kind):
            let typed = String(line.typed[before.endIndex...])
            let names = NameCompletion(kind: kind, app: line.app, typed: typed)
            try names.print { name, title in
                try console.print(value: title.isEmpty ? before + name : "\(before)\(name)\t\(title)")
            }
        }
    }
}
