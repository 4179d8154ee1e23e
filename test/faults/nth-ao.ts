// Commands of ao for `nth-failure.ts`: how each is prepared, and what must be true afterwards.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runHere } from '../support/ao-here.ts'
import { type AoHome, createAoHome, type ListedSession, type RunResult } from '../support/ao-home.ts'
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
    ask: (args) => runHere(args, ao),
    next: () => ++count,
    leaks: () => leaksOf(ao),
    async cleanup() {
      for (const { id } of await list(ao)) await runHere(['session', 'kill', id], ao)
      return ao.cleanup()
    },
  }
}

async function list(ao: Pick<AoHome, 'repo' | 'env'>): Promise<ListedSession[]> {
  return (JSON.parse((await ok(ao, ['session', 'ls', '--all', '--json'])).stdout) as { sessions: ListedSession[] })
    .sessions
}

async function ok(ao: Pick<AoHome, 'repo' | 'env'>, args: string[]): Promise<RunResult> {
  const answer = await runHere(args, ao)
  if (answer.exitCode !== 0) throw new Error(message(args, answer))
  return answer
}

const LIVE = (status: string) =>
  !['killed', 'errored', 'terminated', 'cleanup', 'done', 'merged', 'gone'].includes(status)
const WORK = 'work that nobody committed\n'

async function live({ ao }: AoStage): Promise<string> {
  const found = (await list(ao)).find(({ status }) => LIVE(status))
  if (found) return found.id
  const { stdout } = await ok(ao, ['spawn', '--prompt', 'work', '--json'])
  const { id } = (JSON.parse(stdout) as { session: ListedSession }).session
  writeFileSync(join(ao.worktree(id), 'work.txt'), WORK)
  return id
}

async function killed(stage: AoStage): Promise<string> {
  const id = await live(stage)
  await ok(stage.ao, ['session', 'kill', id])
  return id
}

const statusOf = async ({ ao }: AoStage, id: string) => (await list(ao)).find((one) => one.id === id)?.status ?? 'gone'

/** The same once more, now that nothing fails. */
async function* again(stage: AoStage, args: string[], isDone: RegExp): AsyncGenerator<string> {
  const answer = await stage.ask(args)
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
    prepare: async () => ['spawn', '--prompt', 'work'],
    async *check(stage, answer, args) {
      const { ao } = stage
      const id = /^SESSION=(.*)$/m.exec(answer.stdout)?.[1]
      const status = await statusOf(stage, id ?? '')
      if (answer.exitCode === 0 && !LIVE(status)) yield `${id} is ${status}`
      yield* again(stage, args, /^$/)
      for (const session of await list(ao)) {
        const purged = await stage.ask(['session', 'kill', session.id, '--purge'])
        if (purged.exitCode !== 0) yield message(['purge'], purged)
      }
    },
  },
  {
    name: 'send',
    prepare: async (stage) => ['send', await live(stage), `message ${stage.next()}`, '--no-wait'],
    async *check(stage, answer, [command, id, text, ...rest]) {
      const events = (await stage.ask(['events', id!, '-n', '1000', '--json'])).stdout
      if (answer.exitCode === 0 && !events.includes(`${text}"`)) yield `the history has no ${text}`
      const status = await statusOf(stage, id!)
      if (LIVE(status)) yield* again(stage, [command!, id!, `${text} again`, ...rest], /^$/)
      else yield `${id} is ${status}`
    },
  },
  {
    name: 'send a file',
    async prepare(stage) {
      const file = join(stage.home, 'notes.txt')
      writeFileSync(file, 'what to read\n'.repeat(1_000 + stage.next()))
      return ['send', await live(stage), `message ${stage.next()}`, '--no-wait', '--file', file]
    },
    async *check(stage, answer, [command, id, text, ...rest]) {
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
    prepare: async (stage) => ['session', 'kill', await live(stage)],
    async *check(stage, answer, args) {
      const status = () => statusOf(stage, args[2]!)
      if (answer.exitCode === 0 && (await status()) !== 'killed') yield `it is ${await status()}`
      yield* again(stage, args, /has ended|not running/)
      if ((await status()) !== 'killed') yield `repeated, it is ${await status()}`
      yield* hasWork(stage, args[2]!)
    },
  },
  {
    name: 'purge',
    prepare: async (stage) => ['session', 'kill', await live(stage), '--purge'],
    check: removed,
  },
  {
    name: 'cleanup',
    async prepare(stage) {
      await killed(stage)
      return ['session', 'cleanup']
    },
    async *check(stage, answer, args) {
      const before = (await list(stage.ao)).length
      if (answer.exitCode === 0 && before > 0 && !/not|could/.test(`${answer.stdout}${answer.stderr}`))
        yield `${before} sessions are still there`
      yield* again(stage, args, /^$/)
      if ((await list(stage.ao)).length > 0) yield 'repeated, it removed nothing'
    },
  },
  {
    name: 'restore',
    async prepare(stage) {
      const id = await killed(stage)
      if (stage.next() % 2 === 0) await ok(stage.ao, ['session', 'kill', id, '--purge'])
      return ['session', 'restore', id]
    },
    async *check(stage, answer, args) {
      const status = await statusOf(stage, args[2]!)
      if (answer.exitCode === 0 && !LIVE(status)) yield `it is ${status}`
      if (!LIVE(status)) yield* again(stage, args, /^$/)
      yield* hasWork(stage, args[2]!)
    },
  },
  {
    name: 'merge',
    async prepare(stage) {
      const { ao } = stage
      for (const { id } of await list(ao)) await ok(ao, ['session', 'kill', id, '--purge'])
      const n = stage.next()
      const branch = `change-${n}`
      git(ao.repo, ao.env, 'switch', '--quiet', '-c', branch)
      writeFileSync(join(ao.repo, `${branch}.txt`), 'changed\n')
      git(ao.repo, ao.env, 'add', `${branch}.txt`)
      git(ao.repo, ao.env, 'commit', '--quiet', '-m', branch)
      git(ao.repo, ao.env, 'switch', '--quiet', 'main')
      const { stdout: opened } = await ok(ao, ['gh', 'pr', 'create', '--head', branch, '--title', branch, '--body', ''])
      return ['pr', 'merge', /pull\/(\d+)/.exec(opened)![1]!]
    },
    async *check({ ao, ...stage }, answer, args) {
      const isIn = () => git(ao.repo, ao.env, 'log', '--format=%s', 'main').includes(`change-`)
      if (answer.exitCode === 0 && !isIn()) yield 'the base branch does not have it'
      yield* again({ ao, ...stage }, args, /is merged/)
      const changed = git(ao.repo, ao.env, 'status', '--porcelain', '--untracked-files=no')
      if (changed !== '') yield `the checkout is left changed: ${changed}`
    },
  },
  {
    name: 'issue new',
    prepare: async (stage) => ['issue', 'new', `issue ${stage.next()}.`],
    async *check(stage, answer, args) {
      const listed = await stage.ask(['issue', 'ls', '--limit', '10000', '--json'])
      if (listed.exitCode !== 0) yield message(['issue', 'ls'], listed)
      const count = listed.stdout.split(`"${args[2]}"`).length - 1
      if (answer.exitCode === 0 && count !== 1) yield `it is there ${count} times`
      yield* again(stage, ['issue', 'new', `issue ${stage.next()}.`], /^$/)
    },
  },
  {
    name: 'config trust',
    async prepare(stage) {
      await ok(stage.ao, ['config', 'trust', '--revoke'])
      return ['config', 'trust', '--yes']
    },
    async *check(stage, answer, args) {
      const isTrusted = async () => /"trusted":\[\]/.test((await stage.ask(['config', 'trust', '--json'])).stdout)
      if (answer.exitCode === 0 && !(await isTrusted())) yield 'nothing is trusted'
      yield* again(stage, args, /^$/)
      if (!(await isTrusted())) yield 'repeated, nothing is trusted'
    },
  },
  {
    name: 'start',
    async prepare(stage) {
      stage.run(['stop'])
      return ['start', '--no-restore']
    },
    async *check(stage, answer, args) {
      const stopped = stage.run(['stop', '--json'])
      const wasRunning = /"stopped":true/.test(stopped.stdout)
      if (answer.exitCode === 0 && !wasRunning) yield `nothing runs: ${stopped.stdout}`
      // In a process of its own: the loop is started as the program that this is.
      const started = stage.run(args)
      if (started.exitCode !== 0) yield `repeated: ${message(args, started)}`
      yield* again(stage, ['stop'], /^$/)
    },
  },
  ...[['status'], ['session', 'ls'], ['doctor']].map(
    (args): Command<AoStage> => ({
      name: args.join(' '),
      async prepare(stage) {
        await live(stage)
        return args
      },
      async *check(stage) {
        const session = (await list(stage.ao)).find(({ status }) => LIVE(status))
        if (session === undefined) yield 'no session runs'
        yield* again(stage, args, /^$/)
      },
    }),
  ),
]

/** A purge. */
async function* removed(stage: AoStage, answer: RunResult, args: string[]): AsyncGenerator<string> {
  const id = args[2]!
  const status = () => statusOf(stage, id)
  if (answer.exitCode === 0 && (await status()) !== 'gone') yield `it is ${await status()}`
  yield* again(stage, args, /no session|is archived/i)
  if ((await status()) !== 'gone') yield `repeated, it is ${await status()}`
  const restored = await stage.ask(['session', 'restore', id])
  if (restored.exitCode !== 0) yield message(['restore'], restored)
  yield* hasWork(stage, id)
}

async function leaksOf(ao: AoHome): Promise<string[]> {
  const existing = new Set([...(await list(ao)).map(({ id }) => id), ...ao.archived()])
  const branches = ao.branches().flatMap((name) => (name.startsWith('session/') ? [name.slice(8)] : []))
  const owned = [...ao.worktrees(), ...ao.stateDirs(), ...branches].filter((id) => !existing.has(id))
  const locks = readdirSync(join(ao.repo, '.git'), { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.lock') || name.includes('ao-rescue-') || name.includes('tmp_objdir'),
  )
  return [...owned.map((id) => `${id} belongs to no session`), ...locks.map((name) => `.git/${name} was left`)]
}
