/// The completion scripts of the shells. They hand the words to `hark completion --names` and offer what it prints
/// (`LineCompletion`), so a script stays right while commands change.
enum CompletionScript {
    /// Needs nothing but bash and hark.
    static let bash = #"""
        # Completion of hark for bash; made by 'hark completion bash'. It asks hark what may stand in a place.
        _hark() {
            local line=${COMP_LINE:0:COMP_POINT} words=() lines hark=hark form=%q at=0 i part rest letter plain quote before kept kind word
            COMPREPLY=()
            # Bash cuts words at = and :, and replaces the last part, or what follows an open quote. 'kept' is what stands before.
            for ((i = 0; i <= COMP_CWORD; i++)); do
                ((i < COMP_CWORD)) && part=${COMP_WORDS[i]} || part=${line#"${line%%[![:space:]]*}"}
                rest=$part plain='' quote='' before=''
                while letter=${rest:0:1} rest=${rest:1}; [[ $letter ]]; do
                    case $quote$letter in
                    \\ | \"\\) plain+=${rest:0:1} rest=${rest:1} ;;
                    \'\' | \"\") quote='' before='' ;;
                    \' | \") quote=$letter before=$plain ;;
                    *) plain+=$letter ;;
                    esac
                done
                if ((i)) && [[ $part && $line == "$part"* ]]; then kept=${words[-1]} words[-1]+=$plain; else kept='' words+=("$plain"); fi
                line=${line#*"$part"}
            done
            [[ $part == [:=]* ]] && kept=${words[-1]} || kept+=$before
            [[ ! $quote ]] || form=%s
            [[ ${words[0]} != */hark ]] || hark=${words[0]/#\~\//$HOME/}
            mapfile -t lines < <("$hark" completion --names -- "${words[@]:1}" 2>/dev/null)
            case ${lines[0]} in
            $'\tfiles'*) kind=-f ;;
            $'\tfolders'*) kind=-d ;;
            $'\tprogram'*)
                while ((at < COMP_CWORD)) && [[ ${COMP_WORDS[at++]} != -- ]]; do ((at + 1 < COMP_CWORD)) && kind=-f || kind=-c; done
                ! declare -F _command_offset >/dev/null || { _command_offset $at; return; } ;;
            esac
            if [[ $kind ]]; then
                compopt -o filenames; form=%s before=${lines[0]##*$'\t'}
                mapfile -t lines < <(compgen -P "$before" $kind -- "${words[-1]#"$before"}")
            fi
            for line in "${lines[@]}"; do
                word=${line%%$'\t'*}
                # Readline leaves a word behind an open quote as it is, so nothing is offered there that the shell would read otherwise.
                [[ ! $quote || $kind || $word != *[\'\"\\\`\$\!]* ]] || continue
                [[ $word != "${words[-1]}"* || $word == -? ]] || printf -v "COMPREPLY[${#COMPREPLY[@]}]" $form "${word#"$kept"}"
            done
        }
        complete -F _hark hark

        """#

    static let zsh = #"""
        #compdef hark
        # Completion of hark for zsh; made by 'hark completion zsh'. It asks hark what may stand in a place.

        _hark() {
            local hark=hark line word
            local -a offered
            [[ $words[1] != */hark ]] || hark=${${(Q)words[1]}/#\~\//$HOME/}
            for line in "${(@f)$($hark completion --names -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}"; do
                word=${line%%$'\t'*}
                case $line in
                '') ;;
                $'\tfiles'*) compset -p ${#line##*$'\t'}; _files ;;
                $'\tfolders'*) compset -p ${#line##*$'\t'}; _files -/ ;;
                $'\tprogram'*)
                    (( CURRENT -= $words[(i)--] ))
                    shift $words[(i)--] words
                    _normal -p hark ;;
                *) offered+=("${word//(#m)[:\\]/\\$MATCH}${${line#"$word"}/$'\t'/:}") ;;
                esac
            done
            (( $#offered )) && _describe -t arguments argument offered
        }

        _hark "$@"

        """#

    static let fish = #"""
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

        """#
}
