# Completion of hark for fish; made by 'hark completion fish'. It asks hark what may stand in a place.

function __hark_complete
    set -l hark hark
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    string match -q '*/hark' -- $words[1]; and set hark (string replace -r '^~/' "$HOME/" -- $words[1])
    for line in ($hark completion --names -- $words[2..] (string unescape -- $typed) 2>/dev/null)
        set -l parts (string split \t -- $line)
        set -l value (string sub -s (math 1 + (string length -- "$parts[3]")) -- $typed)
        switch "$parts[1]:$parts[2]"
            case :files
                printf '%s\n' "$parts[3]"(complete -C "'' $value")
            case :folders
                printf '%s\n' "$parts[3]"(__fish_complete_directories "$value")
            case :program
                set -l program $words[(math 1 + (contains -i -- -- $words))..]
                complete -C (string join ' ' -- (string escape -- $program) $typed)
            case '*'
                printf '%s\n' $line
        end
    end
end

complete -c hark -f -a '(__hark_complete)'
