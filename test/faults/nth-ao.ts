// Commands of ao for `nth-failure.ts`: how each is prepared, and what must be true afterwards.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RunResult } from '../support/ao-home.ts'
import { LANDING } from './nth-ao-landing.ts'
import { RETURNING } from './nth-ao-return.ts'
import { type AoStage, again, hasWork, isLive, list, live, ok, statusOf } from './nth-ao-stage.ts'
import type { Command } from './nth-failure.ts'
import { message } from './power-next.ts'

function keptFiles(home: string, sha256: string): Buffer[] {
  const data = join(home, '.agent-orchestrator')
  const paths = readdirSync(data, { recursive: true, encoding: 'utf8' })
  return paths.filter((path) => path.endsWith(`${sha256}.txt`)).map((path) => readFileSync(join(data, path)))
}

export const AO_COMMANDS: Array<Command<AoStage>> = [
  {
    name: 'spawn',
    async prepare(stage) {
      await stage.as('beginning', async () => undefined)
      return ['spawn', '--prompt', 'work']
    },
    async *check(stage, answer, args) {
      const { ao } = stage
      const id = /^SESSION=(.*)$/m.exec(answer.stdout)?.[1]
      const status = await statusOf(stage, id ?? '')
      if (answer.exitCode === 0 && !isLive(status)) yield `${id} is ${status}`
      yield* again(stage, args, /^$/)
      if (answer.exitCode === 0) return
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
      if (isLive(status)) yield* again(stage, [command!, id!, `${text} again`, ...rest], /^$/)
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
        const session = (await list(stage.ao)).find(({ status }) => isLive(status))
        if (session === undefined) yield 'no session runs'
        yield* again(stage, args, /^$/)
      },
    }),
  ),
  ...RETURNING,
  ...LANDING,
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
