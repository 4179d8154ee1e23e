// The watch over the base branch: who broke it hears of it, and it is taken back.
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createForge } from '../../src/forge/create-forge.ts'
import { mergePull } from '../../src/forge/merge/merge-pull.ts'
import { openPull } from '../../src/forge/pulls/open-pull.ts'
import { createLocalTrain } from '../../src/forge/train/local-train.ts'
import { runTrain } from '../../src/forge/train/run-train.ts'
import { readWatch } from '../../src/landing/watch/watch-file.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { projectDirectory } from '../../src/lib/process/own-home.ts'
import { keepWatch } from '../../src/lifecycle/loop/keep-watch.ts'
import type { LoopContext } from '../../src/lifecycle/loop/loop-context.ts'
import { readForgeOptions } from '../../src/plugins/scm-local/index.ts'
import { createForgeWorld } from '../contract/local-forge-world.ts'

it('finds what broke it, tells person and agent once, takes it back and boards that first', async () => {
  const world = createForgeWorld()
  const run = 'echo run >> "$HOME/runs"; if test -e bad.txt; then echo "bad.txt is bad"; exit 1; fi'
  const landing = { mode: 'train' as const, batch: 2, order: 'fifo' as const, watch: 'revert' as const }
  const options = readForgeOptions({ ci: { commands: [{ name: 'unit', run }] } })
  const inside = { ...world.context, env: { ...world.context.env, AO_SESSION: 'app-1' } }
  const forge = createForge({ ...world.project, landing }, options, world.context)
  const projectDir = projectDirectory(world.context, world.project.id)
  const signal = new AbortController().signal
  const notified: string[] = []
  const sent: Array<[string, string]> = []
  const loop = {
    notify: async ({ message }: { message: string }) => void notified.push(message),
    manager: {
      deliver: async (id: string, text: string) => {
        sent.push([id, text])
        return { messageId: 'm', level: 'seen' }
      },
    },
    say: () => undefined,
    context: {
      clock: systemClock,
      store: () => ({
        readHistory: () => ({ events: sent.map(([, text]) => ({ type: 'message.queued', text })) }),
      }),
    },
  } as unknown as LoopContext
  const { project } = forge
  const watch = () => keepWatch(loop, { project, projectDir, ...createLocalTrain(forge).base({ projectDir, signal }) })
  const runs = () => readFileSync(join(world.temp.home, 'runs'), 'utf8').split('\n').length - 1
  try {
    expect([await watch(), runs(), await watch(), runs()]).toEqual([false, 1, false, 1])
    for (const file of ['fine.txt', 'bad.txt', 'later.txt']) {
      await world.push(`feat/${file}`, file, `${file}\n`)
      const ofAgent = createForge({ ...world.project, landing }, options, inside)
      const { pull } = await openPull(ofAgent, { title: `Add ${file}`, body: '', head: `feat/${file}` })
      await mergePull(forge, pull.number, { pastTrain: true, force: true })
    }
    const guilty = forge.pulls.read(2)!.mergeCommit
    expect(await watch()).toBe(true)
    expect(readWatch(join(projectDir, 'landing')).red).toEqual({
      commit: guilty,
      check: 'unit',
      pull: 2,
      sent: true,
      revert: 4,
    })
    expect(notified).toEqual([expect.stringContaining('main fails unit since #2 of app-1 landed')])
    expect(sent).toEqual([['app-1', expect.stringContaining('bad.txt is bad')]])
    // Again, and again by a process that knows nothing of what was done.
    const before = runs()
    expect(await watch()).toBe(false)
    appendFileSync(join(projectDir, 'landing', 'watch.json'), '{')
    expect(existsSync(join(projectDir, 'landing', 'watch.json'))).toBe(true)
    await watch()
    expect([sent.length, forge.pulls.list().length, runs()]).toEqual([1, 4, before])
    // It rides although the base branch is red, without anybody's approval, and lands because its tree is green.
    await world.push('feat/next', 'next.txt', 'next\n')
    await openPull(forge, { title: 'Next', body: '', head: 'feat/next' })
    await world.review(5, { state: 'approved' })
    const rule = { batch: 2, order: 'fifo' as const, priority: [] }
    await runTrain({ forge, projectDir, rule, method: 'squash', collide: () => false, signal, say: () => undefined })
    expect(forge.pulls.read(4)).toMatchObject({ state: 'merged', title: 'Revert "Add bad.txt"' })
    expect(world.git('ls-tree', '--name-only', 'main').split('\n')).toEqual(['README.md', 'fine.txt', 'later.txt'])
    expect([await watch(), readWatch(join(projectDir, 'landing')).red]).toEqual([false, null])
  } finally {
    await world.cleanup()
  }
})
