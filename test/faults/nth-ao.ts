// Commands of ao for `nth-failure.ts`: how each is prepared, and what must be true afterwards.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type AoHome, createAoHome, type RunResult } from '../support/ao-home.ts'
import { git } from '../support/git-repo.ts'
import type { Command, Stage } from './nth-failure.ts'
import { message } from './power-next.ts'

const YAML = `agent: generic
agentConfig: { command: [sh, -c, 'echo ready; exec cat', agent, "{promptFile}"] }
tracker: local
scm: local`

export interface AoStage extends Stage {
  ao: AoHome
  /** Counts up: no two texts are the same. */
  next(): number
}

export async function createAoStage(): Promise<AoStage> {
  const ao = await createAoHome({ runtime: 'process', projectYaml: YAML, files: { 'README.md': '# app\n' } })
  let count = 0
  return {
    ao,
    home: ao.home,
    run: ao.run,
    next: () => ++count,
    leaks: () => leaksOf(ao),
    async cleanup() {
      for (const { id } of ao.list()) ao.run(['session', 'kill', id])
      return ao.cleanup()
    },
  }
}

const LIVE = (status: string) =>
  !['killed', 'errored', 'terminated', 'cleanup', 'done', 'merged', 'gone'].includes(status)
const WORK = 'work that nobody committed\n'

function live({ ao }: AoStage): string {
  const [found] = ao.list().filter(({ status }) => LIVE(status))
  if (found) return found.id
  const id = ao.spawn()
  writeFileSync(join(ao.worktree(id), 'work.txt'), WORK)
  return id
}

function killed(stage: AoStage): string {
  const id = live(stage)
  stage.ao.ok(['session', 'kill', id])
  return id
}

const statusOf = ({ ao }: AoStage, id: string) => ao.list().find((one) => one.id === id)?.status ?? 'gone'

/** The same once more, now that nothing fails. */
function* again(stage: AoStage, args: string[], isDone: RegExp): Generator<string> {
  const answer = stage.run(args)
  if (answer.exitCode !== 0 && !isDone.test(`${answer.stdout}${answer.stderr}`))
    yield `repeated: ${message(args, answer)}`
}

function* hasWork({ ao }: AoStage, id: string): Generator<string> {
  const path = join(ao.worktree(id), 'work.txt')
  const found = existsSync(path) ? readFileSync(path, 'utf8') : null
  if (found !== WORK) yield `work.txt of ${id} is ${JSON.stringify(found)}`
}

function keptFiles(home: string, sha256: string): Buffer[] {
  const data = join(home, '.agent-orchestrator')
  const paths = readdirSync(data, { recursive: true, encoding: 'utf8' })
  return paths.filter((path) => path.endsWith(`${sha256}.txt`)).map((path) => readFileSync(join(data, path)))
}

export const AO_COMMANDS: Array<Command<AoStage>> = [
  {
    name: 'spawn',
    prepare: () => ['spawn', '--prompt', 'work'],
    *check(stage, answer, args) {
      const { ao } = stage
      const id = /^SESSION=(.*)$/m.exec(answer.stdout)?.[1]
      if (answer.exitCode === 0 && !LIVE(statusOf(stage, id ?? ''))) yield `${id} is ${statusOf(stage, id ?? '')}`
      yield* again(stage, args, /^$/)
      for (const session of ao.list()) {
        const purged = ao.run(['session', 'kill', session.id, '--purge'])
        if (purged.exitCode !== 0) yield message(['purge'], purged)
      }
    },
  },
  {
    name: 'send',
    prepare: (stage) => ['send', live(stage), `message ${stage.next()}`, '--no-wait'],
    *check(stage, answer, [command, id, text, ...rest]) {
      const events = stage.run(['events', id!, '-n', '1000', '--json']).stdout
      if (answer.exitCode === 0 && !events.includes(`${text}"`)) yield `the history has no ${text}`
      if (LIVE(statusOf(stage, id!))) yield* again(stage, [command!, id!, `${text} again`, ...rest], /^$/)
      else yield `${id} is ${statusOf(stage, id!)}`
    },
  },
  {
    name: 'send a file',
    prepare(stage) {
      const file = join(stage.home, 'notes.txt')
      writeFileSync(file, 'what to read\n'.repeat(1_000 + stage.next()))
      return ['send', live(stage), `message ${stage.next()}`, '--no-wait', '--file', file]
    },
    *check(stage, answer, [command, id, text, ...rest]) {
      const sent = stage.ao.history(id!).flatMap((one) => (one.type === 'message.queued' ? [one] : []))
      const own = sent.find((one) => one.text.startsWith(text!))
      if (answer.exitCode === 0 && !own) yield `the history has no ${text}`
      // No message without its file, and no file that is only the beginning of one.
      const bytes = readFileSync(rest.at(-1)!)
      for (const { sha256 } of own?.attachments ?? [])
        if (!keptFiles(stage.home, sha256).some((one) => one.equals(bytes))) yield `${text} is there without its file`
      if (own && !own.attachments?.length) yield `${text} lost its file`
      yield* again(stage, [command!, id!, `${text} again`, ...rest], /^$/)
    },
  },
  {
    name: 'kill',
    prepare: (stage) => ['session', 'kill', live(stage)],
    *check(stage, answer, args) {
      if (answer.exitCode === 0 && statusOf(stage, args[2]!) !== 'killed') yield `it is ${statusOf(stage, args[2]!)}`
      yield* again(stage, args, /has ended|not running/)
      if (statusOf(stage, args[2]!) !== 'killed') yield `repeated, it is ${statusOf(stage, args[2]!)}`
      yield* hasWork(stage, args[2]!)
    },
  },
  {
    name: 'purge',
    prepare: (stage) => ['session', 'kill', live(stage), '--purge'],
    check: removed,
  },
  {
    name: 'cleanup',
    prepare(stage) {
      killed(stage)
      return ['session', 'cleanup']
    },
    *check(stage, answer, args) {
      const before = stage.ao.list().length
      if (answer.exitCode === 0 && before > 0 && !/not|could/.test(`${answer.stdout}${answer.stderr}`))
        yield `${before} sessions are still there`
      yield* again(stage, args, /^$/)
      if (stage.ao.list().length > 0) yield 'repeated, it removed nothing'
    },
  },
  {
    name: 'restore',
    prepare(stage) {
      const id = killed(stage)
      if (stage.next() % 2 === 0) stage.ao.ok(['session', 'kill', id, '--purge'])
      return ['session', 'restore', id]
    },
    *check(stage, answer, args) {
      if (answer.exitCode === 0 && !LIVE(statusOf(stage, args[2]!))) yield `it is ${statusOf(stage, args[2]!)}`
      if (!LIVE(statusOf(stage, args[2]!))) yield* again(stage, args, /^$/)
      yield* hasWork(stage, args[2]!)
    },
  },
  {
    name: 'merge',
    prepare(stage) {
      const { ao } = stage
      for (const { id } of ao.list()) ao.ok(['session', 'kill', id, '--purge'])
      const n = stage.next()
      const branch = `change-${n}`
      git(ao.repo, ao.env, 'switch', '--quiet', '-c', branch)
      writeFileSync(join(ao.repo, `${branch}.txt`), 'changed\n')
      git(ao.repo, ao.env, 'add', `${branch}.txt`)
      git(ao.repo, ao.env, 'commit', '--quiet', '-m', branch)
      git(ao.repo, ao.env, 'switch', '--quiet', 'main')
      const opened = ao.ok(['gh', 'pr', 'create', '--head', branch, '--title', branch, '--body', ''])
      return ['pr', 'merge', /pull\/(\d+)/.exec(opened)![1]!]
    },
    *check({ ao, ...stage }, answer, args) {
      const isIn = () => git(ao.repo, ao.env, 'log', '--format=%s', 'main').includes(`change-`)
      if (answer.exitCode === 0 && !isIn()) yield 'the base branch does not have it'
      yield* again({ ao, ...stage }, args, /is merged/)
      const changed = git(ao.repo, ao.env, 'status', '--porcelain', '--untracked-files=no')
      if (changed !== '') yield `the checkout is left changed: ${changed}`
    },
  },
  {
    name: 'issue new',
    prepare: (stage) => ['issue', 'new', `issue ${stage.next()}.`],
    *check(stage, answer, args) {
      const listed = stage.run(['issue', 'ls', '--limit', '10000', '--json'])
      if (listed.exitCode !== 0) yield message(['issue', 'ls'], listed)
      const count = listed.stdout.split(`"${args[2]}"`).length - 1
      if (answer.exitCode === 0 && count !== 1) yield `it is there ${count} times`
      yield* again(stage, ['issue', 'new', `issue ${stage.next()}.`], /^$/)
    },
  },
  {
    name: 'config trust',
    prepare(stage) {
      stage.ao.ok(['config', 'trust', '--revoke'])
      return ['config', 'trust', '--yes']
    },
    *check(stage, answer, args) {
      const isTrusted = () => /"trusted":\[\]/.test(stage.run(['config', 'trust', '--json']).stdout)
      if (answer.exitCode === 0 && !isTrusted()) yield 'nothing is trusted'
      yield* again(stage, args, /^$/)
      if (!isTrusted()) yield 'repeated, nothing is trusted'
    },
  },
  {
    name: 'start',
    prepare(stage) {
      stage.ao.run(['stop'])
      return ['start', '--no-restore']
    },
    *check(stage, answer, args) {
      const stopped = stage.run(['stop', '--json'])
      const wasRunning = /"stopped":true/.test(stopped.stdout)
      if (answer.exitCode === 0 && !wasRunning) yield `nothing runs: ${stopped.stdout}`
      yield* again(stage, args, /^$/)
      yield* again(stage, ['stop'], /^$/)
    },
  },
  ...[['status'], ['session', 'ls'], ['doctor']].map(
    (args): Command<AoStage> => ({
      name: args.join(' '),
      prepare(stage) {
        live(stage)
        return args
      },
      *check(stage) {
        const session = stage.ao.list().find(({ status }) => LIVE(status))
        if (session === undefined) yield 'no session runs'
        yield* again(stage, args, /^$/)
      },
    }),
  ),
]

/** A purge. */
function* removed(stage: AoStage, answer: RunResult, args: string[]): Generator<string> {
  const id = args[2]!
  if (answer.exitCode === 0 && statusOf(stage, id) !== 'gone') yield `it is ${statusOf(stage, id)}`
  yield* again(stage, args, /no session|is archived/i)
  if (statusOf(stage, id) !== 'gone') yield `repeated, it is ${statusOf(stage, id)}`
  const restored = stage.run(['session', 'restore', id])
  if (restored.exitCode !== 0) yield message(['restore'], restored)
  yield* hasWork(stage, id)
}

function leaksOf(ao: AoHome): string[] {
  const existing = new Set([...ao.list().map(({ id }) => id), ...ao.archived()])
  const branches = ao.branches().flatMap((name) => (name.startsWith('session/') ? [name.slice(8)] : []))
  const owned = [...ao.worktrees(), ...ao.stateDirs(), ...branches].filter((id) => !existing.has(id))
  const locks = readdirSync(join(ao.repo, '.git'), { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.lock') || name.includes('ao-rescue-') || name.includes('tmp_objdir'),
  )
  return [...owned.map((id) => `${id} belongs to no session`), ...locks.map((name) => `.git/${name} was left`)]
}
