// Commands of ao for `nth-failure.ts` that take a session elsewhere, back or away.
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type AoStage, again, hasWork, isLive, killed, list, live, ok, statusOf } from './nth-ao-stage.ts'
import type { Command } from './nth-failure.ts'
import { message } from './power-next.ts'

const exportOf = ({ home }: AoStage) => join(home, 'app-1.tar.gz')

/** Its session is known here under another name, too. */
async function* imports(stage: AoStage): AsyncGenerator<string> {
  const args = ['session', 'import', exportOf(stage)]
  const answer = await stage.ask(args)
  if (answer.exitCode !== 0) return yield message(args, answer)
  const id = /^SESSION=(.*)$/m.exec(answer.stdout)![1]!
  const restored = await stage.ask(['session', 'restore', id])
  if (restored.exitCode !== 0) yield message(['restore', id], restored)
  yield* hasWork(stage, id)
}

export const RETURNING: Array<Command<AoStage>> = [
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
  ...['', '--purge'].map(
    (how): Command<AoStage> => ({
      name: how === '' ? 'restore' : 'restore purged',
      prepare: async (stage) => ['session', 'restore', await killed(stage, how === '' ? [] : [how])],
      async *check(stage, answer, args) {
        const status = await statusOf(stage, args[2]!)
        if (answer.exitCode === 0 && !isLive(status)) yield `it is ${status}`
        if (!isLive(status)) yield* again(stage, args, /^$/)
        yield* hasWork(stage, args[2]!)
      },
    }),
  ),
  {
    name: 'move',
    prepare: async (stage) => ['session', 'move', await live(stage), '--here'],
    async *check(stage, answer, args) {
      const status = () => statusOf(stage, args[2]!)
      if (answer.exitCode === 0 && !isLive(await status())) yield `it is ${await status()}`
      yield* again(stage, isLive(await status()) ? args : ['session', 'restore', args[2]!], /^$/)
      if (!isLive(await status())) yield `repeated, it is ${await status()}`
      yield* hasWork(stage, args[2]!)
    },
  },
  {
    name: 'rewind',
    async prepare(stage) {
      await stage.as('with two turns', async () => {
        const id = await live(stage)
        await ok(stage.ao, ['send', id, 'go on', '--no-wait'])
        await ok(stage.ao, ['session', 'kill', id])
      })
      return ['session', 'rewind', 'app-1', '--to', '2']
    },
    async *check(stage, answer, args) {
      yield* hasWork(stage, args[2]!)
      const { stdout } = await ok(stage.ao, ['session', 'turns', args[2]!, '--json'])
      if (answer.exitCode === 0 && !stdout.includes('"turn":3')) yield 'the state before it is no turn'
      yield* again(stage, args, /^$/)
      yield* again(stage, ['session', 'restore', args[2]!], /^$/)
      yield* hasWork(stage, args[2]!)
    },
  },
  {
    name: 'export',
    async prepare(stage) {
      await killed(stage, ['--purge'])
      return ['session', 'export', 'app-1', exportOf(stage)]
    },
    async *check(stage, answer, args) {
      // No half of a file under its name.
      if (answer.exitCode !== 0 && existsSync(exportOf(stage))) yield* imports(stage)
      rmSync(exportOf(stage), { force: answer.exitCode !== 0 })
      yield* again(stage, args, /^$/)
      yield* imports(stage)
    },
  },
  {
    name: 'import',
    async prepare(stage) {
      await stage.as('with an export', async () => {
        await ok(stage.ao, ['session', 'kill', await live(stage), '--purge'])
        await ok(stage.ao, ['session', 'export', 'app-1', exportOf(stage)])
      })
      return ['session', 'import', exportOf(stage)]
    },
    async *check(stage, answer) {
      const id = /^SESSION=(.*)$/m.exec(answer.stdout)?.[1]
      if (answer.exitCode === 0) {
        const restored = await stage.ask(['session', 'restore', id ?? 'nothing'])
        if (restored.exitCode !== 0) yield message(['restore'], restored)
        else yield* hasWork(stage, id!)
      }
      yield* imports(stage)
    },
  },
]
