// `ao adopt`: worktrees, branches, tmux panes and agents' own conversations become sessions. Shows first what would happen.
import { resolve } from 'node:path'
import { AoError } from '../../../contract/errors.ts'
import { type Adoptable, findAdoptable } from '../../../core/session/plan-adoption.ts'
import { formatAge, plural } from '../../../core/text/format-age.ts'
import type { Preview } from '../../../manager/adopt/find-work.ts'
import { askYesNo } from '../../arguments/read-text.ts'
import { defineCommand, JSON_OPTION, PROJECT_OPTION } from '../../command.ts'
import type { Io } from '../../print/io.ts'
import { toOneLine } from '../../print/plain-text.ts'
import { withProgress } from '../../print/progress.ts'
import { toSessionJson } from '../../print/session-json.ts'
import { renderTable } from '../../print/table.ts'
import { chooseProject } from '../choose-project.ts'
import { openAo } from '../open-ao.ts'

export const adoptCommand = defineCommand({
  name: 'adopt',
  about: 'Make sessions of what ao did not start: worktrees, branches, tmux panes, conversations',
  details:
    "Alone it lists what could be adopted and changes nothing; with a name from the list it shows what will happen and asks.\nWork stays where it is, and an adopted worktree is never removed by ao. An agent in a pane of your tmux goes on there. A conversation is continued by its agent's own resume.",
  args: { what: { about: 'A path, a branch, a pane or a conversation, as the list names it' } },
  options: {
    project: { ...PROJECT_OPTION, about: 'The project whose repository it is' },
    agent: { value: 'name', about: 'The agent for work that no agent has begun' },
    yes: { short: 'y', about: 'Do not ask' },
    json: JSON_OPTION,
  },
  examples: [
    { line: 'ao adopt fix-login', about: 'A branch, or the worktree that has it' },
    { line: 'ao adopt %3 --yes', about: 'The agent in a pane of your tmux' },
  ],
  json: "{ project, sessionId, work: [{ kind: 'checkout' | 'branch' | 'terminal' | 'conversation', name, directory, branch, agent, conversation, pid, title, at, refusal }] }, with a name { session: Session, adopted }",
  async run({ args, options }, io) {
    const { manager, config } = await openAo(io)
    const project = chooseProject(config, options.project, io)
    const what = args.what === undefined ? undefined : named(args.what, io)
    if (what === undefined) {
      const preview = await manager.listAdoptable(project.id)
      if (options.json) io.json(preview)
      else printList(preview, io)
      return
    }
    const shown = options.yes ? undefined : await confirm(await manager.listAdoptable(project.id, what), what, io)
    const onNotice = (line: string) => io.note(`${io.noteStyle.yellow('warning:')} ${toOneLine(line)}`)
    const request = { projectId: project.id, name: what, agent: options.agent, shown }
    const session = await withProgress(io, 'The adoption was interrupted', (onProgress) =>
      manager.adopt(request, { onProgress, onNotice }),
    )
    if (options.json) return void io.json({ session: toSessionJson(session), adopted: what })
    io.print(`${io.style.green('adopted')} ${toOneLine(what)} as ${io.style.bold(session.id)}`)
    io.print(`SESSION=${session.id}`)
  },
})

/** `../app-login` is what the list calls by its whole path. */
function named(typed: string, io: Io): string {
  return /^\.{1,2}(?:\/|$)/.test(typed) ? resolve(io.cwd, typed) : typed
}

async function confirm({ sessionId, work }: Preview, name: string, io: Io): Promise<Adoptable> {
  const wanted = findAdoptable(work, name)
  if (wanted === null) {
    throw new AoError('USAGE', `There is nothing called ${name} to adopt`, { hint: 'See what there is with: ao adopt' })
  }
  for (const line of describe(wanted, sessionId)) io.note(toOneLine(line))
  if (!(io.stdin.isTTY && io.noteIsTerminal))
    throw new AoError('USAGE', 'Nothing was adopted: this needs your agreement', { hint: 'Agree with: --yes' })
  if (!(await askYesNo(`Adopt ${toOneLine(name)}?`, io))) throw new AoError('USAGE', 'Nothing was adopted')
  return wanted
}

/** What will happen, in sentences. */
function describe({ kind, directory, branch, agent, conversation, refusal }: Adoptable, sessionId: string): string[] {
  const where = directory === null ? 'in a worktree that ao makes' : `in ${directory}, which stays where it is`
  const who = agent ?? "the project's agent"
  const how =
    kind === 'terminal'
      ? `${who} goes on in its pane; ao reads it and sends to it`
      : conversation === null
        ? `${who} is started there and waits for a message`
        : `${who} continues its conversation ${conversation}`
  return [
    `It becomes ${sessionId}${branch === null ? '' : ` on branch ${branch}`}, ${where}.`,
    `${how}.`,
    ...(refusal ? [`Not now: ${refusal.why}. ${refusal.hint}.`] : []),
  ]
}

const WORDS = { checkout: 'worktree', branch: 'branch', terminal: 'pane', conversation: 'conversation' }

function printList({ sessionId, work }: Preview, io: Io): void {
  if (work.length === 0) {
    io.print('Nothing to adopt: no worktree, branch, pane or conversation without a session.')
    return
  }
  const now = io.clock.now()
  const lines = renderTable<Adoptable>(
    [
      { title: 'WHAT', text: ({ kind }) => WORDS[kind] },
      { title: 'NAME', text: ({ name }) => toOneLine(name), paint: (text) => io.style.bold(text), min: 20 },
      { title: 'BRANCH', text: ({ branch }) => branch ?? '-', min: 10 },
      { title: 'WHERE', text: ({ directory, kind, name }) => whereOf(directory, kind, name), min: 10 },
      { title: 'AGENT', text: ({ agent }) => agent ?? '-' },
      {
        title: 'RESUMES',
        text: ({ conversation, kind }) => conversation ?? (kind === 'terminal' ? 'runs' : '-'),
        min: 8,
      },
      { title: 'AGE', text: ({ at }) => (at === null ? '-' : formatAge(at, now)) },
      { title: 'ABOUT', text: ({ refusal, title }) => toOneLine(refusal ? `not now: ${refusal.why}` : (title ?? '')) },
    ],
    work,
    { width: io.width(), paintTitle: io.style.dim },
  )
  io.printLines(lines)
  io.print(`${plural(work.length, 'thing')} to adopt; the next would be ${sessionId}. Adopt one with: ao adopt <name>`)
}

function whereOf(directory: string | null, kind: Adoptable['kind'], name: string): string {
  if (directory === null) return 'a new worktree'
  return kind === 'checkout' && directory === name ? 'stays' : toOneLine(directory)
}
