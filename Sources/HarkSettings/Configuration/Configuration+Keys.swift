import HarkCore

extension Configuration {
    /// The files of all keys that the settings name, each once.
    ///
    /// - Parameter folder: The base of relative paths.
    func keyFiles(in folder: String) -> [String] {
        var secrets: [Secret?] = []
        for destination in destinations {
            secrets.append(destination.apiKey)
            for header in destination.headers {
                if case .secret(let secret) = header.value { secrets.append(secret) }
            }
        }
        if case .url(_, let key) = flags.place { secrets.append(key) }
        for case .url(_, _, let access) in [surveys, forms] { secrets.append(access.key) }
        let fleet = sections[FleetSettings.self]
        secrets.append(fleet.password)
        secrets.append(fleet.keyFile.map(Secret.file))
        var seen: Set<String> = []
        return secrets.compactMap { secret in
            guard case .file(let path)? = secret else { return nil }
            let file = path.hasPrefix("/") ? path : "\(folder)/\(path)"
            return seen.insert(file).inserted ? file : nil
        }
    }
}
