"""Scripts that make shells complete our words: each asks the command itself, `plimsoll --complete WORDS`, what may come next.

A line of the answer is a value, a tab, and what it means; `:files` and `:folders` ask the shell for names of its own.
"""

from __future__ import annotations

ASK = "--complete"
FILES, FOLDERS = ":files", ":folders"

_BASH = r"""# bash completion of plimsoll; made by `plimsoll completion bash`
_plimsoll() {
    local words current begun line value name kind="" plain=""
    # bash takes words apart at = and :, and so its own array is of no use.
    IFS=$' \t' read -ra words <<<"${COMP_LINE:0:COMP_POINT}"
    [[ "${COMP_LINE:0:COMP_POINT}" == *[[:space:]] ]] && words+=("")
    current=${words[${#words[@]} - 1]}
    # What stands before the last = or : is not replaced.
    begun=${current%"${current##*[=:]}"}
    [[ $COMP_WORDBREAKS == *:* ]] || begun=""
    COMPREPLY=()
    while IFS= read -r line; do
        value=${line%%$'\t'*}
        case $value in
            :files | :folders)
                kind=-f
                [[ $value == :folders ]] && kind=-d
                ;;
            *)
                plain=1
                [[ $value == *[=:/] ]] && compopt -o nospace 2>/dev/null
                COMPREPLY+=("${value#"$begun"}")
                ;;
        esac
    done < <("$1" --complete "${words[@]:1}" 2>/dev/null)
    [[ $kind ]] || return
    # Words of ours would be quoted as if they were names of files.
    [[ $plain ]] || compopt -o filenames 2>/dev/null
    while IFS= read -r name; do
        COMPREPLY+=("$name")
    done < <(compgen $kind -- "${current#"$begun"}")
}
complete -F _plimsoll plimsoll
"""

_ZSH = r"""#compdef plimsoll
# zsh completion of plimsoll; made by `plimsoll completion zsh`
_plimsoll() {
    local line value
    local -a shown open
    for line in "${(@f)$(${(Q)words[1]} --complete "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}"; do
        value=${line%%$'\t'*}
        case $value in
            '') ;;
            :files) _files ;;
            :folders) _files -/ ;;
            *[=:/]) open+=("${value//:/\\:}:${line#*$'\t'}") ;;
            *) shown+=("${value//:/\\:}:${line#*$'\t'}") ;;
        esac
    done
    (( $#open )) && _describe -V plimsoll open -S ''
    (( $#shown )) && _describe -V plimsoll shown
}
if [ "$funcstack[1]" = "_plimsoll" ]; then
    _plimsoll "$@"
else
    compdef _plimsoll plimsoll
fi
"""

_FISH = r"""# fish completion of plimsoll; made by `plimsoll completion fish`
function __plimsoll_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in ($words[1] --complete $words[2..-1] "$current" 2>/dev/null)
        switch $line
            case ':files*'
                __fish_complete_path "$current"
            case ':folders*'
                __fish_complete_directories "$current"
            case '*'
                echo $line
        end
    end
end
complete -c plimsoll -f -k -a '(__plimsoll_complete)'
"""

SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}
