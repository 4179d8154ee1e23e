// Completion for a shell, the same for both programs: the script that connects the Tab key with `__complete`, and the
// words.
import { AoError } from '../contract/errors.ts'
import { EVERYONE } from '../core/boundary/rights.ts'
import { nearestWord } from '../core/text/nearest-word.ts'
import { type CommandTable, defineCommand } from './command.ts'
import { findCommand, loadGroups } from './command-table.ts'
import { type Candidate, type Completion, completeArgument, completeCommandName } from './complete-words.ts'
import type { Io } from './print/io.ts'
import { toOneLine } from './print/plain-text.ts'

type Program = 'ao' | 'agh'

const SHELLS = ['bash', 'zsh', 'fish', 'pwsh'] as const

export function completionCommandOf(program: Program, details: string) {
  return defineCommand({
    program: program === 'agh' ? program : undefined,
    name: 'completion',
    inside: EVERYONE,
    about: 'Print the completion script of a shell',
    details,
    args: { shell: { about: SHELLS.join(', '), required: true, completes: SHELLS } },
    examples: [
      { line: `source <(${program} completion bash)`, about: 'In ~/.bashrc' },
      { line: `source <(${program} completion zsh)`, about: 'In ~/.zshrc, after compinit' },
      { line: `${program} completion fish | source`, about: 'In ~/.config/fish/config.fish' },
      { line: `${program} completion pwsh | Out-String | Invoke-Expression`, about: 'In $PROFILE' },
    ],
    async run({ args }, io) {
      const shell = SHELLS.find((one) => one === args.shell)
      if (shell === undefined) {
        const near = nearestWord(args.shell, SHELLS)
        throw new AoError('USAGE', `There is no completion for ${args.shell}, only for ${SHELLS.join(', ')}`, {
          hint: `${program} completion ${near ?? 'bash'}`,
        })
      }
      io.write(scripts(program)[shell])
      return 0
    },
  })
}

/** `lookUp`: the names of existing things. */
export function completeCommandOf(program: Program, lookUp: (what: string, io: Io) => Promise<Candidate[]>) {
  return defineCommand({
    program: program === 'agh' ? program : undefined,
    name: '__complete',
    inside: EVERYONE,
    about: 'Print what may stand at the end of a command line',
    args: { words: { about: `The words after ${program}; the last one is being typed`, variadic: true } },
    async run({ args }, io, table) {
      const current = args.words.at(-1) ?? ''
      const completion = await completionFor(table, args.words.slice(0, -1), current, program)
      const what = completion.lookUp
      if (what === 'file') io.print(':files')
      const found = typeof what === 'string' && what !== 'file' ? await lookUp(what, io) : []
      for (const { word, about } of [...completion.candidates, ...found]) {
        if (word.startsWith(current)) io.print(about ? `${word}\t${toOneLine(about)}` : word)
      }
      return 0
    },
  })
}

async function completionFor(
  table: CommandTable,
  before: readonly string[],
  current: string,
  program: Program,
): Promise<Completion> {
  const isGroup = before.length === 1 && table.some(({ name }) => name.startsWith(`${before[0]} `))
  if (before.length === 0 || isGroup) {
    const groups = await loadGroups(table)
    const commands = groups.flatMap((group) => group.commands)
    return completeCommandName(commands, before, program)
  }
  const found = findCommand(table, before, program)
  if (found.kind === 'help') return { candidates: [], lookUp: null }
  return completeArgument(await found.entry.load(), found.rest, current)
}

// Each line of `__complete` is a word, a tab and its meaning; the line `:files` asks for file names.
const scripts = (program: string): Record<(typeof SHELLS)[number], string> => ({
  bash: `# ${program} completion for bash
_${program}_complete() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" word about
  COMPREPLY=()
  while IFS=$'\\t' read -r word about; do
    if [[ $word == :files ]]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$cur")
    elif [[ $word == "$cur"* ]]; then
      COMPREPLY+=("$word")
    fi
  done < <(${program} __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _${program}_complete ${program}
`,
  zsh: `#compdef ${program}
# ${program} completion for zsh
_${program}() {
  local -a found
  local word about files=0
  while IFS=$'\\t' read -r word about; do
    if [[ $word == ':files' ]]; then files=1; else found+=("\${word//:/\\\\:}:\${about}"); fi
  done < <(${program} __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  (( \${#found} )) && _describe '${program}' found
  (( files )) && _files
}
if [[ "$funcstack[1]" == _${program} ]]; then _${program} "$@"; else compdef _${program} ${program}; fi
`,
  fish: `# ${program} completion for fish
function __${program}_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in (${program} __complete -- $words[2..] 2>/dev/null)
        if test "$line" = ':files'
            __fish_complete_path (commandline -ct)
        else
            echo $line
        end
    end
end
complete -c ${program} -f -a '(__${program}_complete)'
`,
  pwsh: `# ${program} completion for PowerShell
Register-ArgumentCompleter -Native -CommandName ${program} -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { $_.ToString() })
  foreach ($line in (& ${program} __complete '--' @words "$wordToComplete" 2>$null)) {
    $word, $about = $line -split "\`t", 2
    if ($word -eq ':files') {
      Get-ChildItem -Name "$wordToComplete*" | ForEach-Object { [System.Management.Automation.CompletionResult]::new($_, $_, 'ProviderItem', $_) }
    } else {
      $tip = if ($about) { $about } else { $word }
      [System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', $tip)
    }
  }
}
`,
})
