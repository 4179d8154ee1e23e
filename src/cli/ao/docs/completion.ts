// `ao completion`: the script that connects a shell's Tab key with `ao __complete`. The words themselves come from there.
import { AoError } from '../../../contract/errors.ts'
import { nearestWord } from '../../../core/text/nearest-word.ts'
import { defineCommand } from '../../command.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const

export const completionCommand = defineCommand({
  name: 'completion',
  about: 'Print the completion script of a shell',
  details: 'Commands, options, session ids and projects are completed.',
  args: { shell: { about: SHELLS.join(', '), required: true, completes: SHELLS } },
  options: {},
  examples: [
    { line: 'source <(ao completion bash)', about: 'In ~/.bashrc' },
    { line: 'source <(ao completion zsh)', about: 'In ~/.zshrc, after compinit' },
    { line: 'ao completion fish | source', about: 'In ~/.config/fish/config.fish' },
  ],
  async run({ args }, io) {
    const shell = SHELLS.find((one) => one === args.shell)
    if (shell === undefined) {
      const near = nearestWord(args.shell, SHELLS)
      throw new AoError('USAGE', `There is no completion for ${args.shell}, only for ${SHELLS.join(', ')}`, {
        hint: `ao completion ${near ?? 'bash'}`,
      })
    }
    io.write(SCRIPTS[shell])
    return 0
  },
})

// Each line of `ao __complete` is a word, a tab and what it means; the line `:files` asks for file names.
const SCRIPTS: Record<(typeof SHELLS)[number], string> = {
  bash: `# ao completion for bash
_ao_complete() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" word about
  COMPREPLY=()
  while IFS=$'\\t' read -r word about; do
    if [[ $word == :files ]]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$cur")
    elif [[ $word == "$cur"* ]]; then
      COMPREPLY+=("$word")
    fi
  done < <(ao __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _ao_complete ao
`,
  zsh: `#compdef ao
# ao completion for zsh
_ao() {
  local -a found
  local word about files=0
  while IFS=$'\\t' read -r word about; do
    if [[ $word == ':files' ]]; then files=1; else found+=("\${word//:/\\\\:}:\${about}"); fi
  done < <(ao __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  (( \${#found} )) && _describe 'ao' found
  (( files )) && _files
}
if [[ "$funcstack[1]" == _ao ]]; then _ao "$@"; else compdef _ao ao; fi
`,
  fish: `# ao completion for fish
function __ao_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in (ao __complete -- $words[2..] 2>/dev/null)
        if test "$line" = ':files'
            __fish_complete_path (commandline -ct)
        else
            echo $line
        end
    end
end
complete -c ao -f -a '(__ao_complete)'
`,
}
