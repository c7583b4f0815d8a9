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
