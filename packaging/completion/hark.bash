# Completion of hark for bash; made by 'hark completion bash'.

_hark() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} path=hark i
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; i++)); do
        case "$path ${COMP_WORDS[i]}" in
            'hark record' | \
            'hark run' | \
            'hark log' | \
            'hark session' | \
            'hark session start' | \
            'hark session end' | \
            'hark session list' | \
            'hark session show' | \
            'hark background' | \
            'hark events' | \
            'hark logs' | \
            'hark top' | \
            'hark stats' | \
            'hark chart' | \
            'hark report' | \
            'hark sql' | \
            'hark ask' | \
            'hark prompt' | \
            'hark form' | \
            'hark forms' | \
            'hark surveys' | \
            'hark survey' | \
            'hark survey add' | \
            'hark survey remove' | \
            'hark answer' | \
            'hark dismiss' | \
            'hark snooze' | \
            'hark mute' | \
            'hark unmute' | \
            'hark quiet' | \
            'hark study' | \
            'hark study join' | \
            'hark study leave' | \
            'hark study pause' | \
            'hark study resume' | \
            'hark study status' | \
            'hark study list' | \
            'hark study plan' | \
            'hark explain' | \
            'hark preview' | \
            'hark simulate' | \
            'hark debug' | \
            'hark agent' | \
            'hark mcp' | \
            'hark results' | \
            'hark answers' | \
            'hark profile' | \
            'hark profile summary' | \
            'hark profile get' | \
            'hark profile export' | \
            'hark profile import' | \
            'hark profile reset' | \
            'hark counter' | \
            'hark counter register' | \
            'hark counter trigger' | \
            'hark counter set' | \
            'hark counter get' | \
            'hark counter list' | \
            'hark counter reset' | \
            'hark execution' | \
            'hark execution add' | \
            'hark execution remove' | \
            'hark execution list' | \
            'hark execution follow' | \
            'hark watch' | \
            'hark watch add' | \
            'hark watch remove' | \
            'hark watch list' | \
            'hark delivery' | \
            'hark delivery status' | \
            'hark delivery flush' | \
            'hark delivery resume' | \
            'hark delivery dead' | \
            'hark delivery replay' | \
            'hark delivery drop' | \
            'hark delivery schema' | \
            'hark destination' | \
            'hark destination add' | \
            'hark destination remove' | \
            'hark fleet' | \
            'hark fleet join' | \
            'hark fleet leave' | \
            'hark fleet status' | \
            'hark fleet push' | \
            'hark fleet withdraw' | \
            'hark network' | \
            'hark flags' | \
            'hark flags list' | \
            'hark flags get' | \
            'hark flags refresh' | \
            'hark export' | \
            'hark import' | \
            'hark clear' | \
            'hark retention' | \
            'hark retention show' | \
            'hark retention apply' | \
            'hark repair' | \
            'hark status' | \
            'hark doctor' | \
            'hark config' | \
            'hark config show' | \
            'hark config validate' | \
            'hark config reload' | \
            'hark call' | \
            'hark completion' | \
            'hark manual' | \
            'hark help')
            path+=" ${COMP_WORDS[i]}" ;;
        esac
    done

    case "$path $before" in
        'hark record --app' | 'hark record -a') COMPREPLY=(); return ;;
        'hark record --user' | 'hark record -u') COMPREPLY=(); return ;;
        'hark record --timestamp' | 'hark record -t') COMPREPLY=(); return ;;
        'hark record --name' | 'hark record -n') COMPREPLY=(); return ;;
        'hark record --name-from') COMPREPLY=(); return ;;
        'hark record --time-from') COMPREPLY=(); return ;;
        'hark record --wait') COMPREPLY=(); return ;;
        'hark run --name' | 'hark run -n') COMPREPLY=(); return ;;
        'hark run --user' | 'hark run -u') COMPREPLY=(); return ;;
        'hark run --app' | 'hark run -a') COMPREPLY=(); return ;;
        'hark run --warn-after' | 'hark run -W') COMPREPLY=(); return ;;
        'hark run --errors' | 'hark run -e') COMPREPLY=(); return ;;
        'hark log --level' | 'hark log -l') mapfile -t COMPREPLY < <(compgen -W 'info warning error messages' -- "$word"); return ;;
        'hark log --user' | 'hark log -u') COMPREPLY=(); return ;;
        'hark log --app' | 'hark log -a') COMPREPLY=(); return ;;
        'hark log --destination' | 'hark log -d') _hark_names; return ;;
        'hark session start --user' | 'hark session start -u') COMPREPLY=(); return ;;
        'hark session start --app' | 'hark session start -a') COMPREPLY=(); return ;;
        'hark session end --app' | 'hark session end -a') COMPREPLY=(); return ;;
        'hark session list --user' | 'hark session list -u') COMPREPLY=(); return ;;
        'hark session list --app' | 'hark session list -a') COMPREPLY=(); return ;;
        'hark session list --machine') COMPREPLY=(); return ;;
        'hark session list --group') COMPREPLY=(); return ;;
        'hark session list --limit' | 'hark session list -l') COMPREPLY=(); return ;;
        'hark session show --app' | 'hark session show -a') COMPREPLY=(); return ;;
        'hark background --app' | 'hark background -a') COMPREPLY=(); return ;;
        'hark events --session' | 'hark events -s') _hark_names; return ;;
        'hark events --user' | 'hark events -u') COMPREPLY=(); return ;;
        'hark events --app' | 'hark events -a') COMPREPLY=(); return ;;
        'hark events --machine') COMPREPLY=(); return ;;
        'hark events --group') COMPREPLY=(); return ;;
        'hark events --name' | 'hark events -n') _hark_names; return ;;
        'hark events --where' | 'hark events -w') COMPREPLY=(); return ;;
        'hark events --since' | 'hark events -S') COMPREPLY=(); return ;;
        'hark events --until' | 'hark events -U') COMPREPLY=(); return ;;
        'hark events --after') COMPREPLY=(); return ;;
        'hark events --limit' | 'hark events -l') COMPREPLY=(); return ;;
        'hark logs --session' | 'hark logs -s') _hark_names; return ;;
        'hark logs --user' | 'hark logs -u') COMPREPLY=(); return ;;
        'hark logs --app' | 'hark logs -a') COMPREPLY=(); return ;;
        'hark logs --machine') COMPREPLY=(); return ;;
        'hark logs --group') COMPREPLY=(); return ;;
        'hark logs --level') mapfile -t COMPREPLY < <(compgen -W 'info warning error messages' -- "$word"); return ;;
        'hark logs --since' | 'hark logs -S') COMPREPLY=(); return ;;
        'hark logs --until' | 'hark logs -U') COMPREPLY=(); return ;;
        'hark logs --after') COMPREPLY=(); return ;;
        'hark logs --limit' | 'hark logs -l') COMPREPLY=(); return ;;
        'hark top --every' | 'hark top -e') COMPREPLY=(); return ;;
        'hark top --machine') COMPREPLY=(); return ;;
        'hark top --group') COMPREPLY=(); return ;;
        'hark stats --by' | 'hark stats -b') COMPREPLY=(); return ;;
        'hark stats --every' | 'hark stats -e') COMPREPLY=(); return ;;
        'hark stats --percentiles' | 'hark stats -p') COMPREPLY=(); return ;;
        'hark stats --distinct' | 'hark stats -d') COMPREPLY=(); return ;;
        'hark stats --where' | 'hark stats -w') COMPREPLY=(); return ;;
        'hark stats --since' | 'hark stats -S') COMPREPLY=(); return ;;
        'hark stats --until' | 'hark stats -U') COMPREPLY=(); return ;;
        'hark stats --session' | 'hark stats -s') _hark_names; return ;;
        'hark stats --user' | 'hark stats -u') COMPREPLY=(); return ;;
        'hark stats --app' | 'hark stats -a') COMPREPLY=(); return ;;
        'hark stats --machine') COMPREPLY=(); return ;;
        'hark stats --group') COMPREPLY=(); return ;;
        'hark stats --limit' | 'hark stats -l') COMPREPLY=(); return ;;
        'hark chart --every' | 'hark chart -e') COMPREPLY=(); return ;;
        'hark chart --by' | 'hark chart -b') COMPREPLY=(); return ;;
        'hark chart --show') COMPREPLY=(); return ;;
        'hark chart --svg') mapfile -t COMPREPLY < <(compgen -f -- "$word"); compopt -o filenames; return ;;
        'hark chart --distinct' | 'hark chart -d') COMPREPLY=(); return ;;
        'hark chart --where' | 'hark chart -w') COMPREPLY=(); return ;;
        'hark chart --since' | 'hark chart -S') COMPREPLY=(); return ;;
        'hark chart --until' | 'hark chart -U') COMPREPLY=(); return ;;
        'hark chart --session' | 'hark chart -s') _hark_names; return ;;
        'hark chart --user' | 'hark chart -u') COMPREPLY=(); return ;;
        'hark chart --app' | 'hark chart -a') COMPREPLY=(); return ;;
        'hark chart --machine') COMPREPLY=(); return ;;
        'hark chart --group') COMPREPLY=(); return ;;
        'hark chart --limit' | 'hark chart -l') COMPREPLY=(); return ;;
        'hark report --out' | 'hark report -o') mapfile -t COMPREPLY < <(compgen -f -- "$word"); compopt -o filenames; return ;;
        'hark report --title' | 'hark report -t') COMPREPLY=(); return ;;
        'hark report --chart' | 'hark report -c') COMPREPLY=(); return ;;
        'hark report --where' | 'hark report -w') COMPREPLY=(); return ;;
        'hark report --since' | 'hark report -S') COMPREPLY=(); return ;;
        'hark report --until' | 'hark report -U') COMPREPLY=(); return ;;
        'hark report --user' | 'hark report -u') COMPREPLY=(); return ;;
        'hark report --app' | 'hark report -a') COMPREPLY=(); return ;;
        'hark report --machine') COMPREPLY=(); return ;;
        'hark report --group') COMPREPLY=(); return ;;
        'hark sql --params') COMPREPLY=(); return ;;
        'hark sql --params-file') mapfile -t COMPREPLY < <(compgen -f -- "$word"); compopt -o filenames; return ;;
        'hark ask --app' | 'hark ask -a') COMPREPLY=(); return ;;
        'hark prompt --message' | 'hark prompt -m') COMPREPLY=(); return ;;
        'hark prompt --pattern') COMPREPLY=(); return ;;
        'hark prompt --pattern-message') COMPREPLY=(); return ;;
        'hark prompt --scale') COMPREPLY=(); return ;;
        'hark prompt --min') COMPREPLY=(); return ;;
        'hark prompt --max') COMPREPLY=(); return ;;
        'hark prompt --step') COMPREPLY=(); return ;;
        'hark prompt --unit') COMPREPLY=(); return ;;
        'hark prompt --label') COMPREPLY=(); return ;;
        'hark prompt --timeout' | 'hark prompt -T') COMPREPLY=(); return ;;
        'hark prompt --default' | 'hark prompt -d') COMPREPLY=(); return ;;
        'hark prompt --name' | 'hark prompt -n') COMPREPLY=(); return ;;
        'hark prompt --user' | 'hark prompt -u') COMPREPLY=(); return ;;
        'hark prompt --app' | 'hark prompt -a') COMPREPLY=(); return ;;
        'hark prompt --id') _hark_names; return ;;
        'hark form --user' | 'hark form -u') COMPREPLY=(); return ;;
        'hark form --app' | 'hark form -a') COMPREPLY=(); return ;;
        'hark form --answers') COMPREPLY=(); return ;;
        'hark form --retry') COMPREPLY=(); return ;;
        'hark forms --user' | 'hark forms -u') COMPREPLY=(); return ;;
        'hark forms --app' | 'hark forms -a') COMPREPLY=(); return ;;
        'hark surveys --app' | 'hark surveys -a') COMPREPLY=(); return ;;
        'hark surveys --user' | 'hark surveys -u') COMPREPLY=(); return ;;
        'hark survey add --on' | 'hark survey add -o') _hark_names; return ;;
        'hark survey add --after' | 'hark survey add -A') COMPREPLY=(); return ;;
        'hark survey add --where' | 'hark survey add -w') COMPREPLY=(); return ;;
        'hark survey add --message' | 'hark survey add -m') COMPREPLY=(); return ;;
        'hark survey add --id') COMPREPLY=(); return ;;
        'hark survey add --repeat' | 'hark survey add -r') COMPREPLY=(); return ;;
        'hark answer --option' | 'hark answer -o') COMPREPLY=(); return ;;
        'hark answer --text' | 'hark answer -t') COMPREPLY=(); return ;;
        'hark answer --answers') COMPREPLY=(); return ;;
        'hark mute --for' | 'hark mute -f') COMPREPLY=(); return ;;
        'hark mute --until' | 'hark mute -u') COMPREPLY=(); return ;;
        'hark mute --every' | 'hark mute -e') COMPREPLY=(); return ;;
        'hark quiet --alarms') mapfile -t COMPREPLY < <(compgen -W 'on off' -- "$word"); return ;;
        'hark study join --user' | 'hark study join -u') COMPREPLY=(); return ;;
        'hark study join --app' | 'hark study join -a') COMPREPLY=(); return ;;
        'hark study join --group' | 'hark study join -g') COMPREPLY=(); return ;;
        'hark study join --hours') COMPREPLY=(); return ;;
        'hark study leave --user' | 'hark study leave -u') COMPREPLY=(); return ;;
        'hark study leave --app' | 'hark study leave -a') COMPREPLY=(); return ;;
        'hark study pause --user' | 'hark study pause -u') COMPREPLY=(); return ;;
        'hark study pause --app' | 'hark study pause -a') COMPREPLY=(); return ;;
        'hark study pause --for' | 'hark study pause -f') COMPREPLY=(); return ;;
        'hark study pause --until') COMPREPLY=(); return ;;
        'hark study resume --user' | 'hark study resume -u') COMPREPLY=(); return ;;
        'hark study resume --app' | 'hark study resume -a') COMPREPLY=(); return ;;
        'hark study status --machine') COMPREPLY=(); return ;;
        'hark study status --group') COMPREPLY=(); return ;;
        'hark study status --since' | 'hark study status -S') COMPREPLY=(); return ;;
        'hark study status --until' | 'hark study status -U') COMPREPLY=(); return ;;
        'hark study plan --user' | 'hark study plan -u') COMPREPLY=(); return ;;
        'hark study plan --app' | 'hark study plan -a') COMPREPLY=(); return ;;
        'hark study plan --group' | 'hark study plan -g') COMPREPLY=(); return ;;
        'hark study plan --hours') COMPREPLY=(); return ;;
        'hark study plan --date') COMPREPLY=(); return ;;
        'hark study plan --days') COMPREPLY=(); return ;;
        'hark explain --app' | 'hark explain -a') COMPREPLY=(); return ;;
        'hark explain --user' | 'hark explain -u') COMPREPLY=(); return ;;
        'hark explain --event' | 'hark explain -e') COMPREPLY=(); return ;;
        'hark preview --file' | 'hark preview -f') mapfile -t COMPREPLY < <(compgen -f -- "$word"); compopt -o filenames; return ;;
        'hark preview --lang' | 'hark preview -l') COMPREPLY=(); return ;;
        'hark preview --variant') COMPREPLY=(); return ;;
        'hark preview --event' | 'hark preview -e') COMPREPLY=(); return ;;
        'hark simulate --since' | 'hark simulate -S') COMPREPLY=(); return ;;
        'hark simulate --until' | 'hark simulate -U') COMPREPLY=(); return ;;
        'hark simulate --against') mapfile -t COMPREPLY < <(compgen -f -- "$word"); compopt -o filenames; return ;;
        'hark simulate --answered') COMPREPLY=(); return ;;
        'hark simulate --seed') COMPREPLY=(); return ;;
        'hark debug --delay') COMPREPLY=(); return ;;
        'hark debug --attempt-cooldown') COMPREPLY=(); return ;;
        'hark agent --app' | 'hark agent -a') COMPREPLY=(); return ;;
        'hark agent --timeout' | 'hark agent -t') COMPREPLY=(); return ;;
        'hark mcp --config' | 'hark mcp -c') mapfile -t COMPREPLY < <(compgen -W 'claude cursor vscode' -- "$word"); return ;;
        'hark mcp --since' | 'hark mcp -S') COMPREPLY=(); return ;;
        'hark mcp --until' | 'hark mcp -U') COMPREPLY=(); return ;;
        'hark mcp --limit') COMPREPLY=(); return ;;
        'hark results --machine') COMPREPLY=(); return ;;
        'hark results --group') COMPREPLY=(); return ;;
        'hark results --since' | 'hark results -S') COMPREPLY=(); return ;;
        'hark results --until' | 'hark results -U') COMPREPLY=(); return ;;
        'hark results --every' | 'hark results -e') COMPREPLY=(); return ;;
        'hark results --by' | 'hark results -b') mapfile -t COMPREPLY < <(compgen -W 'locale surface zone variant @app @machine @group' -- "$word"); return ;;
        'hark answers --user' | 'hark answers -u') COMPREPLY=(); return ;;
        'hark answers --app' | 'hark answers -a') COMPREPLY=(); return ;;
        'hark answers --machine') COMPREPLY=(); return ;;
        'hark answers --group') COMPREPLY=(); return ;;
        'hark answers --since' | 'hark answers -S') COMPREPLY=(); return ;;
        'hark answers --until' | 'hark answers -U') COMPREPLY=(); return ;;
        'hark answers --codebook') mapfile -t COMPREPLY < <(compgen -d -- "$word"); compopt -o filenames; return ;;
        'hark profile summary --user' | 'hark profile summary -u') COMPREPLY=(); return ;;
        'hark profile summary --app' | 'hark profile summary -a') COMPREPLY=(); return ;;
        'hark profile get --user' | 'hark profile get -u') COMPREPLY=(); return ;;
        'hark profile get --app' | 'hark profile get -a') COMPREPLY=(); return ;;
        'hark profile export --user' | 'hark profile export -u') COMPREPLY=(); return ;;
        'hark profile export --app' | 'hark profile export -a') COMPREPLY=(); return ;;
        'hark profile import --user' | 'hark profile import -u') COMPREPLY=(); return ;;
        'hark profile import --app' | 'hark profile import -a') COMPREPLY=(); return ;;
        'hark profile reset --user' | 'hark profile reset -u') COMPREPLY=(); return ;;
        'hark profile reset --app' | 'hark profile reset -a') COMPREPLY=(); return ;;
        'hark counter register --initial' | 'hark counter register -i') COMPREPLY=(); return ;;
        'hark counter register --scope' | 'hark counter register -s') mapfile -t COMPREPLY < <(compgen -W 'instance session app' -- "$word"); return ;;
        'hark counter register --process' | 'hark counter register -p') COMPREPLY=(); return ;;
        'hark counter register --app' | 'hark counter register -a') COMPREPLY=(); return ;;
        'hark counter trigger --app' | 'hark counter trigger -a') COMPREPLY=(); return ;;
        'hark counter set --app' | 'hark counter set -a') COMPREPLY=(); return ;;
        'hark counter get --type' | 'hark counter get -t') mapfile -t COMPREPLY < <(compgen -W 'integer double bool string array dictionary any' -- "$word"); return ;;
        'hark counter get --app' | 'hark counter get -a') COMPREPLY=(); return ;;
        'hark counter list --app' | 'hark counter list -a') COMPREPLY=(); return ;;
        'hark counter reset --app' | 'hark counter reset -a') COMPREPLY=(); return ;;
        'hark execution add --when' | 'hark execution add -w') COMPREPLY=(); return ;;
        'hark execution add --on' | 'hark execution add -o') COMPREPLY=(); return ;;
        'hark execution add --event' | 'hark execution add -e') _hark_names; return ;;
        'hark execution add --where') COMPREPLY=(); return ;;
        'hark execution add --survey') _hark_names; return ;;
        'hark execution add --timeout') COMPREPLY=(); return ;;
        'hark execution add --app' | 'hark execution add -a') COMPREPLY=(); return ;;
        'hark execution remove --app' | 'hark execution remove -a') COMPREPLY=(); return ;;
        'hark execution list --app' | 'hark execution list -a') COMPREPLY=(); return ;;
        'hark execution list --limit' | 'hark execution list -l') COMPREPLY=(); return ;;
        'hark execution follow --app' | 'hark execution follow -a') COMPREPLY=(); return ;;
        'hark watch add --every' | 'hark watch add -e') COMPREPLY=(); return ;;
        'hark watch add --between' | 'hark watch add -b') COMPREPLY=(); return ;;
        'hark watch add --days' | 'hark watch add -d') COMPREPLY=(); return ;;
        'hark watch add --event') COMPREPLY=(); return ;;
        'hark watch add --where' | 'hark watch add -w') COMPREPLY=(); return ;;
        'hark watch add --app' | 'hark watch add -a') COMPREPLY=(); return ;;
        'hark watch add --user' | 'hark watch add -u') COMPREPLY=(); return ;;
        'hark delivery dead --limit' | 'hark delivery dead -n') COMPREPLY=(); return ;;
        'hark destination add --name' | 'hark destination add -n') COMPREPLY=(); return ;;
        'hark destination add --kind' | 'hark destination add -k') mapfile -t COMPREPLY < <(compgen -W 'clickhouse http otlp postgresql sensorcore' -- "$word"); return ;;
        'hark destination add --preset') mapfile -t COMPREPLY < <(compgen -W 'slack discord matrix ntfy' -- "$word"); return ;;
        'hark destination add --template') COMPREPLY=(); return ;;
        'hark destination add --content' | 'hark destination add -c') mapfile -t COMPREPLY < <(compgen -W 'log event survey session form profile' -- "$word"); return ;;
        'hark destination add --names') _hark_names; return ;;
        'hark destination add --where' | 'hark destination add -w') COMPREPLY=(); return ;;
        'hark destination add --level' | 'hark destination add -l') mapfile -t COMPREPLY < <(compgen -W 'info warning error messages' -- "$word"); return ;;
        'hark destination add --key-file') mapfile -t COMPREPLY < <(compgen -f -- "$word"); compopt -o filenames; return ;;
        'hark fleet join --name' | 'hark fleet join -n') COMPREPLY=(); return ;;
        'hark fleet join --machine' | 'hark fleet join -m') COMPREPLY=(); return ;;
        'hark fleet join --group' | 'hark fleet join -g') COMPREPLY=(); return ;;
        'hark fleet join --liveness') COMPREPLY=(); return ;;
        'hark fleet join --user' | 'hark fleet join -u') COMPREPLY=(); return ;;
        'hark fleet join --password-file') mapfile -t COMPREPLY < <(compgen -f -- "$word"); compopt -o filenames; return ;;
        'hark fleet join --ca-file') mapfile -t COMPREPLY < <(compgen -f -- "$word"); compopt -o filenames; return ;;
        'hark fleet join --certificate') mapfile -t COMPREPLY < <(compgen -f -- "$word"); compopt -o filenames; return ;;
        'hark fleet join --key') mapfile -t COMPREPLY < <(compgen -f -- "$word"); compopt -o filenames; return ;;
        'hark fleet join --shards') COMPREPLY=(); return ;;
        'hark fleet push --group' | 'hark fleet push -g') COMPREPLY=(); return ;;
        'hark fleet push --kind' | 'hark fleet push -k') mapfile -t COMPREPLY < <(compgen -W 'surveys forms flags' -- "$word"); return ;;
        'hark fleet withdraw --group' | 'hark fleet withdraw -g') COMPREPLY=(); return ;;
        'hark flags get --type' | 'hark flags get -t') mapfile -t COMPREPLY < <(compgen -W 'bool string double int raw' -- "$word"); return ;;
        'hark flags get --default' | 'hark flags get -d') COMPREPLY=(); return ;;
        'hark export --user' | 'hark export -u') COMPREPLY=(); return ;;
        'hark export --session' | 'hark export -s') _hark_names; return ;;
        'hark export --app' | 'hark export -a') COMPREPLY=(); return ;;
        'hark export --machine') COMPREPLY=(); return ;;
        'hark export --group') COMPREPLY=(); return ;;
        'hark clear --user' | 'hark clear -u') COMPREPLY=(); return ;;
        'hark clear --session' | 'hark clear -s') _hark_names; return ;;
        'hark clear --app' | 'hark clear -a') COMPREPLY=(); return ;;
        'hark clear --machine') COMPREPLY=(); return ;;
        'hark clear --group') COMPREPLY=(); return ;;
        'hark retention apply --policy') mapfile -t COMPREPLY < <(compgen -W 'none long conservative standard aggressive' -- "$word"); return ;;
        'hark retention apply --max-age-days') COMPREPLY=(); return ;;
        'hark retention apply --max-sessions') COMPREPLY=(); return ;;
        'hark retention apply --max-bytes') COMPREPLY=(); return ;;
        'hark retention apply --max-answer-age-days') COMPREPLY=(); return ;;
    esac

    if [[ $word == -* ]]; then
        case $path in
            'hark') mapfile -t COMPREPLY < <(compgen -W '--version --help' -- "$word") ;;
            'hark record') mapfile -t COMPREPLY < <(compgen -W '--app --user --unattended --timestamp --json --quiet --stdin --name --bare --flatten --csv --name-from --time-from --wait --help' -- "$word") ;;
            'hark run') mapfile -t COMPREPLY < <(compgen -W '--name --user --app --warn-after --no-start --errors --quiet --help' -- "$word") ;;
            'hark log') mapfile -t COMPREPLY < <(compgen -W '--level --user --unattended --app --confirm --destination --quiet --json --stdin --help' -- "$word") ;;
            'hark session') mapfile -t COMPREPLY < <(compgen -W '--help' -- "$word") ;;
            'hark session start') mapfile -t COMPREPLY < <(compgen -W '--user --app --quiet --json --help' -- "$word") ;;
            'hark session end') mapfile -t COMPREPLY < <(compgen -W '--app --quiet --json --help' -- "$word") ;;
            'hark session list') mapfile -t COMPREPLY < <(compgen -W '--user --anonymous --app --machine --group --open --limit --json --help' -- "$word") ;;
            'hark session show') mapfile -t COMPREPLY < <(compgen -W '--app --json --help' -- "$word") ;;
            'hark background') mapfile -t COMPREPLY < <(compgen -W '--app --quiet --json --help' -- "$word") ;;
            'hark events') mapfile -t COMPREPLY < <(compgen -W '--session --user --anonymous --app --machine --group --name --where --since --until --after --limit --follow --csv --spreadsheet --json --help' -- "$word") ;;
            'hark logs') mapfile -t COMPREPLY < <(compgen -W '--session --user --anonymous --app --machine --group --level --since --until --after --limit --follow --json --help' -- "$word") ;;
            'hark top') mapfile -t COMPREPLY < <(compgen -W '--every --machine --group --once --help' -- "$word") ;;
            'hark stats') mapfile -t COMPREPLY < <(compgen -W '--by --every --percentiles --distinct --where --since --until --session --user --anonymous --app --machine --group --limit --csv --spreadsheet --json --help' -- "$word") ;;
            'hark chart') mapfile -t COMPREPLY < <(compgen -W '--every --by --show --line --bars --svg --distinct --where --since --until --session --user --anonymous --app --machine --group --limit --csv --spreadsheet --json --help' -- "$word") ;;
            'hark report') mapfile -t COMPREPLY < <(compgen -W '--out --title --chart --texts --where --since --until --user --anonymous --app --machine --group --quiet --help' -- "$word") ;;
            'hark sql') mapfile -t COMPREPLY < <(compgen -W '--csv --spreadsheet --json --arrays --params --params-file --help' -- "$word") ;;
            'hark ask') mapfile -t COMPREPLY < <(compgen -W '--app --wait --window --desktop --help' -- "$word") ;;
            'hark prompt') mapfile -t COMPREPLY < <(compgen -W '--message --multiple --other --shuffle --text --pattern --pattern-message --rating --number --scale --ranking --date --time --yes-no --min --max --step --integer --unit --label --timeout --default --name --user --app --no-wait --id --json --help' -- "$word") ;;
            'hark form') mapfile -t COMPREPLY < <(compgen -W '--user --anonymous --app --window --answers --progress --retry --reset --yes --json --help' -- "$word") ;;
            'hark forms') mapfile -t COMPREPLY < <(compgen -W '--user --anonymous --app --json --help' -- "$word") ;;
            'hark surveys') mapfile -t COMPREPLY < <(compgen -W '--app --user --rules --json --help' -- "$word") ;;
            'hark survey') mapfile -t COMPREPLY < <(compgen -W '--help' -- "$word") ;;
            'hark survey add') mapfile -t COMPREPLY < <(compgen -W '--on --after --where --message --id --text --repeat --system --quiet --help' -- "$word") ;;
            'hark survey remove') mapfile -t COMPREPLY < <(compgen -W '--system --quiet --help' -- "$word") ;;
            'hark answer') mapfile -t COMPREPLY < <(compgen -W '--option --text --answers --change --take-back --quiet --json --help' -- "$word") ;;
            'hark dismiss') mapfile -t COMPREPLY < <(compgen -W '--forever --quiet --json --help' -- "$word") ;;
            'hark snooze') mapfile -t COMPREPLY < <(compgen -W '--quiet --json --help' -- "$word") ;;
            'hark mute') mapfile -t COMPREPLY < <(compgen -W '--all --agents --for --until --forever --every --prompts --list --quiet --json --help' -- "$word") ;;
            'hark unmute') mapfile -t COMPREPLY < <(compgen -W '--all --agents --json --help' -- "$word") ;;
            'hark quiet') mapfile -t COMPREPLY < <(compgen -W '--alarms --json --help' -- "$word") ;;
            'hark study') mapfile -t COMPREPLY < <(compgen -W '--help' -- "$word") ;;
            'hark study join') mapfile -t COMPREPLY < <(compgen -W '--user --app --group --hours --quiet --json --help' -- "$word") ;;
            'hark study leave') mapfile -t COMPREPLY < <(compgen -W '--user --app --quiet --json --help' -- "$word") ;;
            'hark study pause') mapfile -t COMPREPLY < <(compgen -W '--user --app --for --until --quiet --json --help' -- "$word") ;;
            'hark study resume') mapfile -t COMPREPLY < <(compgen -W '--user --app --quiet --json --help' -- "$word") ;;
            'hark study status') mapfile -t COMPREPLY < <(compgen -W '--machine --group --since --until --reasons --csv --spreadsheet --json --help' -- "$word") ;;
            'hark study list') mapfile -t COMPREPLY < <(compgen -W '--json --help' -- "$word") ;;
            'hark study plan') mapfile -t COMPREPLY < <(compgen -W '--user --app --group --hours --date --days --json --help' -- "$word") ;;
            'hark explain') mapfile -t COMPREPLY < <(compgen -W '--app --user --event --json --help' -- "$word") ;;
            'hark preview') mapfile -t COMPREPLY < <(compgen -W '--file --lang --variant --event --window --json --help' -- "$word") ;;
            'hark simulate') mapfile -t COMPREPLY < <(compgen -W '--since --until --against --answered --seed --list --json --help' -- "$word") ;;
            'hark debug') mapfile -t COMPREPLY < <(compgen -W '--bypass-gating --delay --attempt-cooldown --json --help' -- "$word") ;;
            'hark agent') mapfile -t COMPREPLY < <(compgen -W '--app --timeout --help' -- "$word") ;;
            'hark mcp') mapfile -t COMPREPLY < <(compgen -W '--config --log --since --until --limit --follow --json --help' -- "$word") ;;
            'hark results') mapfile -t COMPREPLY < <(compgen -W '--machine --group --since --until --every --by --csv --spreadsheet --json --help' -- "$word") ;;
            'hark answers') mapfile -t COMPREPLY < <(compgen -W '--answered --long --all-versions --user --anonymous --app --machine --group --since --until --csv --spreadsheet --json --codebook --help' -- "$word") ;;
            'hark profile') mapfile -t COMPREPLY < <(compgen -W '--help' -- "$word") ;;
            'hark profile summary') mapfile -t COMPREPLY < <(compgen -W '--user --anonymous --app --json --help' -- "$word") ;;
            'hark profile get') mapfile -t COMPREPLY < <(compgen -W '--user --anonymous --app --json --help' -- "$word") ;;
            'hark profile export') mapfile -t COMPREPLY < <(compgen -W '--user --anonymous --app --help' -- "$word") ;;
            'hark profile import') mapfile -t COMPREPLY < <(compgen -W '--user --anonymous --app --json --help' -- "$word") ;;
            'hark profile reset') mapfile -t COMPREPLY < <(compgen -W '--user --anonymous --app --yes --json --help' -- "$word") ;;
            'hark counter') mapfile -t COMPREPLY < <(compgen -W '--help' -- "$word") ;;
            'hark counter register') mapfile -t COMPREPLY < <(compgen -W '--initial --scope --process --app --quiet --json --help' -- "$word") ;;
            'hark counter trigger') mapfile -t COMPREPLY < <(compgen -W '--app --quiet --json --help' -- "$word") ;;
            'hark counter set') mapfile -t COMPREPLY < <(compgen -W '--app --quiet --json --help' -- "$word") ;;
            'hark counter get') mapfile -t COMPREPLY < <(compgen -W '--type --app --json --help' -- "$word") ;;
            'hark counter list') mapfile -t COMPREPLY < <(compgen -W '--app --json --help' -- "$word") ;;
            'hark counter reset') mapfile -t COMPREPLY < <(compgen -W '--all --app --quiet --json --help' -- "$word") ;;
            'hark execution') mapfile -t COMPREPLY < <(compgen -W '--help' -- "$word") ;;
            'hark execution add') mapfile -t COMPREPLY < <(compgen -W '--when --on --event --where --survey --notify --keep-alive --once --now --timeout --app --json --help' -- "$word") ;;
            'hark execution remove') mapfile -t COMPREPLY < <(compgen -W '--app --help' -- "$word") ;;
            'hark execution list') mapfile -t COMPREPLY < <(compgen -W '--app --limit --json --help' -- "$word") ;;
            'hark execution follow') mapfile -t COMPREPLY < <(compgen -W '--app --json --help' -- "$word") ;;
            'hark watch') mapfile -t COMPREPLY < <(compgen -W '--help' -- "$word") ;;
            'hark watch add') mapfile -t COMPREPLY < <(compgen -W '--every --between --days --event --where --app --user --quiet --json --help' -- "$word") ;;
            'hark watch remove') mapfile -t COMPREPLY < <(compgen -W '--help' -- "$word") ;;
            'hark watch list') mapfile -t COMPREPLY < <(compgen -W '--missed --json --help' -- "$word") ;;
            'hark delivery') mapfile -t COMPREPLY < <(compgen -W '--help' -- "$word") ;;
            'hark delivery status') mapfile -t COMPREPLY < <(compgen -W '--json --help' -- "$word") ;;
            'hark delivery flush') mapfile -t COMPREPLY < <(compgen -W '--help' -- "$word") ;;
            'hark delivery resume') mapfile -t COMPREPLY < <(compgen -W '--json --help' -- "$word") ;;
            'hark delivery dead') mapfile -t COMPREPLY < <(compgen -W '--limit --json --help' -- "$word") ;;
            'hark delivery replay') mapfile -t COMPREPLY < <(compgen -W '--json --help' -- "$word") ;;
            'hark delivery drop') mapfile -t COMPREPLY < <(compgen -W '--json --help' -- "$word") ;;
            'hark delivery schema') mapfile -t COMPREPLY < <(compgen -W '--help' -- "$word") ;;
            'hark destination') mapfile -t COMPREPLY < <(compgen -W '--help' -- "$word") ;;
            'hark destination add') mapfile -t COMPREPLY < <(compgen -W '--name --kind --preset --template --content --names --where --level --key-file --system --quiet --help' -- "$word") ;;
            'hark destination remove') mapfile -t COMPREPLY < <(compgen -W '--system --quiet --help' -- "$word") ;;
            'hark fleet') mapfile -t COMPREPLY < <(compgen -W '--help' -- "$word") ;;
            'hark fleet join') mapfile -t COMPREPLY < <(compgen -W '--name --machine --group --hub --liveness --user --password-file --ca-file --certificate --key --shards --system --help' -- "$word") ;;
            'hark fleet leave') mapfile -t COMPREPLY < <(compgen -W '--system --help' -- "$word") ;;
            'hark fleet status') mapfile -t COMPREPLY < <(compgen -W '--json --help' -- "$word") ;;
            'hark fleet push') mapfile -t COMPREPLY < <(compgen -W '--group --kind --json --help' -- "$word") ;;
            'hark fleet withdraw') mapfile -t COMPREPLY < <(compgen -W '--group --json --help' -- "$word") ;;
            'hark network') mapfile -t COMPREPLY < <(compgen -W '--follow --json --help' -- "$word") ;;
            'hark flags') mapfile -t COMPREPLY < <(compgen -W '--help' -- "$word") ;;
            'hark flags list') mapfile -t COMPREPLY < <(compgen -W '--json --help' -- "$word") ;;
            'hark flags get') mapfile -t COMPREPLY < <(compgen -W '--type --default --help' -- "$word") ;;
            'hark flags refresh') mapfile -t COMPREPLY < <(compgen -W '--json --help' -- "$word") ;;
            'hark export') mapfile -t COMPREPLY < <(compgen -W '--user --anonymous --session --app --machine --group --help' -- "$word") ;;
            'hark import') mapfile -t COMPREPLY < <(compgen -W '--help' -- "$word") ;;
            'hark clear') mapfile -t COMPREPLY < <(compgen -W '--all --user --anonymous --session --app --machine --group --yes --json --help' -- "$word") ;;
            'hark retention') mapfile -t COMPREPLY < <(compgen -W '--help' -- "$word") ;;
            'hark retention show') mapfile -t COMPREPLY < <(compgen -W '--json --help' -- "$word") ;;
            'hark retention apply') mapfile -t COMPREPLY < <(compgen -W '--policy --max-age-days --max-sessions --max-bytes --max-answer-age-days --dry-run --trust-clock --json --help' -- "$word") ;;
            'hark repair') mapfile -t COMPREPLY < <(compgen -W '--json --help' -- "$word") ;;
            'hark status') mapfile -t COMPREPLY < <(compgen -W '--json --metrics --help' -- "$word") ;;
            'hark doctor') mapfile -t COMPREPLY < <(compgen -W '--quiet --json --help' -- "$word") ;;
            'hark config') mapfile -t COMPREPLY < <(compgen -W '--help' -- "$word") ;;
            'hark config show') mapfile -t COMPREPLY < <(compgen -W '--json --help' -- "$word") ;;
            'hark config validate') mapfile -t COMPREPLY < <(compgen -W '--json --help' -- "$word") ;;
            'hark config reload') mapfile -t COMPREPLY < <(compgen -W '--json --help' -- "$word") ;;
            'hark call') mapfile -t COMPREPLY < <(compgen -W '--help' -- "$word") ;;
            'hark completion') mapfile -t COMPREPLY < <(compgen -W '--names --help' -- "$word") ;;
            'hark manual') mapfile -t COMPREPLY < <(compgen -W '--help' -- "$word") ;;
            'hark help') mapfile -t COMPREPLY < <(compgen -W '--help' -- "$word") ;;
        esac
        return
    fi
    case $path in
        'hark') mapfile -t COMPREPLY < <(compgen -W 'record run log session background events logs top stats chart report sql ask prompt form forms surveys survey answer dismiss snooze mute unmute quiet study explain preview simulate debug agent mcp results answers profile counter execution watch delivery destination fleet network flags export import clear retention repair status doctor config call completion manual help' -- "$word") ;;
        'hark session') mapfile -t COMPREPLY < <(compgen -W 'start end list show' -- "$word") ;;
        'hark session end') _hark_names ;;
        'hark session show') _hark_names ;;
        'hark stats') _hark_names ;;
        'hark chart') _hark_names ;;
        'hark ask') _hark_names ;;
        'hark form') _hark_names ;;
        'hark survey') mapfile -t COMPREPLY < <(compgen -W 'add remove' -- "$word") ;;
        'hark survey remove') _hark_names ;;
        'hark answer') _hark_names ;;
        'hark dismiss') _hark_names ;;
        'hark snooze') _hark_names ;;
        'hark mute') _hark_names ;;
        'hark unmute') _hark_names ;;
        'hark study') mapfile -t COMPREPLY < <(compgen -W 'join leave pause resume status list plan' -- "$word") ;;
        'hark study join') _hark_names ;;
        'hark study leave') _hark_names ;;
        'hark study pause') _hark_names ;;
        'hark study resume') _hark_names ;;
        'hark study status') _hark_names ;;
        'hark study list') _hark_names ;;
        'hark study plan') _hark_names ;;
        'hark explain') _hark_names ;;
        'hark preview') _hark_names ;;
        'hark simulate') mapfile -t COMPREPLY < <(compgen -f -- "$word"); compopt -o filenames ;;
        'hark debug') mapfile -t COMPREPLY < <(compgen -W 'production debug' -- "$word") ;;
        'hark results') _hark_names ;;
        'hark answers') _hark_names ;;
        'hark profile') mapfile -t COMPREPLY < <(compgen -W 'summary get export import reset' -- "$word") ;;
        'hark profile import') mapfile -t COMPREPLY < <(compgen -f -- "$word"); compopt -o filenames ;;
        'hark counter') mapfile -t COMPREPLY < <(compgen -W 'register trigger set get list reset' -- "$word") ;;
        'hark counter trigger') _hark_names ;;
        'hark counter set') _hark_names ;;
        'hark counter get') _hark_names ;;
        'hark counter reset') _hark_names ;;
        'hark execution') mapfile -t COMPREPLY < <(compgen -W 'add remove list follow' -- "$word") ;;
        'hark execution add') mapfile -t COMPREPLY < <(compgen -f -- "$word"); compopt -o filenames ;;
        'hark execution remove') _hark_names ;;
        'hark watch') mapfile -t COMPREPLY < <(compgen -W 'add remove list' -- "$word") ;;
        'hark watch remove') _hark_names ;;
        'hark delivery') mapfile -t COMPREPLY < <(compgen -W 'status flush resume dead replay drop schema' -- "$word") ;;
        'hark delivery flush') _hark_names ;;
        'hark delivery resume') _hark_names ;;
        'hark delivery dead') _hark_names ;;
        'hark delivery replay') _hark_names ;;
        'hark delivery drop') _hark_names ;;
        'hark delivery schema') _hark_names ;;
        'hark destination') mapfile -t COMPREPLY < <(compgen -W 'add remove' -- "$word") ;;
        'hark destination remove') _hark_names ;;
        'hark fleet') mapfile -t COMPREPLY < <(compgen -W 'join leave status push withdraw' -- "$word") ;;
        'hark fleet status') _hark_names ;;
        'hark fleet push') mapfile -t COMPREPLY < <(compgen -f -- "$word"); compopt -o filenames ;;
        'hark fleet withdraw') mapfile -t COMPREPLY < <(compgen -W 'surveys forms flags' -- "$word") ;;
        'hark flags') mapfile -t COMPREPLY < <(compgen -W 'list get refresh' -- "$word") ;;
        'hark export') mapfile -t COMPREPLY < <(compgen -d -- "$word"); compopt -o filenames ;;
        'hark import') mapfile -t COMPREPLY < <(compgen -d -- "$word"); compopt -o filenames ;;
        'hark retention') mapfile -t COMPREPLY < <(compgen -W 'show apply' -- "$word") ;;
        'hark config') mapfile -t COMPREPLY < <(compgen -W 'show validate reload' -- "$word") ;;
        'hark config validate') mapfile -t COMPREPLY < <(compgen -f -- "$word"); compopt -o filenames ;;
        'hark completion') mapfile -t COMPREPLY < <(compgen -W 'bash zsh fish' -- "$word") ;;
        'hark help') mapfile -t COMPREPLY < <(compgen -W 'record run log session background events logs top stats chart report sql ask prompt form forms surveys survey answer dismiss snooze mute unmute quiet study explain preview simulate debug agent mcp results answers profile counter execution watch delivery destination fleet network flags export import clear retention repair status doctor config call completion manual help' -- "$word") ;;
    esac
}

# Offers what the daemon has. Bash takes a word with colons for several; what stands before the last colon stays.
_hark_names() {
    local line=${COMP_LINE:0:COMP_POINT} typed=$word at=$COMP_CWORD name i
    while ((at > 1)) && [[ ${COMP_WORDS[at]} == :* || ${COMP_WORDS[at-1]} == *: ]] &&
        [[ $line == *"${COMP_WORDS[at-1]}$typed" ]]; do
        typed=${COMP_WORDS[--at]}$typed
    done
    local kept=${typed%"${typed##*:}"}
    mapfile -t COMPREPLY < <(hark completion --names -- "${COMP_WORDS[@]:1:at-1}" "${typed//\\/}" 2>/dev/null)
    for i in "${!COMPREPLY[@]}"; do
        printf -v name %q "${COMPREPLY[i]%%$'\t'*}"
        COMPREPLY[i]=${name#"$kept"}
    done
}

complete -F _hark hark
