// Gates over a real repository: what ao checks itself before it calls anything mergeable.
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ProjectConfig } from '../../src/contract/config.ts'
import { AoError } from '../../src/contract/errors.ts'
import { createForge } from '../../src/forge/create-forge.ts'
import { finishChecks } from '../../src/forge/finish-checks.ts'
import { verifyCommit } from '../../src/forge/proof/verify-commit.ts'
import { observePull, readCheckLog } from '../../src/forge/pulls/observe-pulls.ts'
import { runTrain } from '../../src/forge/train/run-train.ts'
import { openRepository } from '../../src/git/repository.ts'
import { openGates } from '../../src/landing/checks/project-gates.ts'
import { readChangedChecks } from '../../src/landing/checks/read-changed-checks.ts'
import { openGate } from '../../src/landing/merge.ts'
import { openTrainFile } from '../../src/landing/train/train-file.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { projectDirectory } from '../../src/lib/process/own-home.ts'
import { keepGates } from '../../src/lifecycle/loop/keep-gates.ts'
import { readForgeOptions } from '../../src/plugins/scm-local/index.ts'
import { createForgeWorld, type ForgeWorld } from '../contract/local-forge-world.ts'
import { createLoopWorld, snapshot } from '../lifecycle/loop-world.ts'
import { agreeToAll } from '../support/agree.ts'
import { git } from '../support/git-repo.ts'

/** Every run leaves a line. */
const COUNT = 'echo run >> "$HOME/runs"; if grep -qs BAD *.txt; then echo "BAD is bad"; exit 1; fi'
const GATES: NonNullable<ProjectConfig['gates']> = [
  { name: 'text', run: COUNT },
  { name: 'paths', forbid: ['infra/'] },
]

describe('gates', () => {
  let world: ForgeWorld
  beforeEach(() => {
    world = createForgeWorld()
  })
  afterEach(() => world.cleanup())
  const runs = () => {
    const path = join(world.temp.home, 'runs')
    return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n').length : 0
  }
  const head = (branch: string) => world.git('rev-parse', `refs/heads/${branch}`)
  const signal = new AbortController().signal

  it('of a local forge are checks like those of CI; the train lands only what passes them, with proof', async () => {
    const forge = createForge({ ...world.project, gates: GATES }, readForgeOptions({}), world.context)
    const open = async (branch: string, file: string, text: string) => {
      await world.push(branch, file, text)
      const { number } = await world.openPR({ branch, title: `Add ${file}` })
      await finishChecks(forge, number)
      await world.review(number, { state: 'approved' })
      return observePull(forge, forge.pulls.read(number)!)
    }
    const fine = await open('feat/fine', 'test/fine.test.txt', 'fine\n')
    const forbidden = await open('feat/infra', 'infra/x.tf', 'x\n')
    const states = [fine, forbidden].map(({ ci, checks }) => [ci, ...checks.map(({ status }) => status)])
    expect(states).toEqual([
      ['passing', 'passed', 'passed'],
      ['failing', 'passed', 'failed'],
    ])
    expect(readCheckLog(forge, forbidden.checks[1]!)).toContain('infra/x.tf must not be changed, and it is added')
    // Not even a person's word takes a forbidden change along.
    const projectDir = projectDirectory(world.context, world.project.id)
    const file = openTrainFile({ projectDir, clock: systemClock })
    const { pr, headSha } = forbidden
    await file.append({ type: 'boarded', pull: pr.number, headSha, by: 'sam' })
    const rule = { batch: 3, order: 'fifo' as const, priority: [] }
    const quiet = { collide: () => false, signal, say: () => undefined }
    await runTrain({ forge, projectDir, rule, method: 'squash', ...quiet })
    const state = file.read()
    expect([state.landed.map(({ pull }) => pull), state.left.map(({ pull, why }) => [pull, why])]).toEqual([
      [1],
      [[2, 'unready']],
    ])
    const { findings } = await verifyCommit(forge, { directory: file.directory, commit: head('main'), rerun: false })
    expect(findings.filter(({ proven }) => !proven)).toEqual([])
    expect(findings.map(({ what }) => what)).toEqual(['tree', 'check gate: text', 'check gate: paths', 'approval'])
  })

  it('of another forge run here, once for each tree, and never without consent', async () => {
    const projectDir = join(world.temp.home, 'data')
    const options = { project: { ...world.project, gates: GATES }, projectDir, env: world.context.env }
    const untrusted = openGates({
      ...options,
      requireTrust: () => {
        throw new AoError('CONFIG_UNTRUSTED', 'no')
      },
    })!
    const gates = openGates({ ...options, requireTrust: () => undefined })!
    await world.push('feat/a', 'a.txt', 'BAD\n')
    const change = (branch: string) => ({ head: head(branch), from: head('main'), signal })
    const read = async (branch: string) => (await gates.read({ head: head(branch) })).map(({ status }) => status)
    await expect(untrusted.run(change('feat/a'))).rejects.toMatchObject({ code: 'CONFIG_UNTRUSTED' })
    expect([await read('feat/a'), runs()]).toEqual([['pending', 'pending'], 0])
    expect(await gates.run(change('feat/a'))).toBe('done')
    // A failure is run once more.
    expect([await read('feat/a'), runs()]).toEqual([['failed', 'passed'], 2])
    const [text] = await gates.read({ head: head('feat/a') })
    expect([gates.log(text!, 1000), gates.log({ id: 'other' }, 1000)]).toEqual([
      expect.stringContaining('BAD is bad'),
      null,
    ])
    // The same tree in another commit.
    const again = world.git('commit-tree', 'feat/a^{tree}', '-p', 'main', '-m', 'again')
    world.git('update-ref', 'refs/heads/feat/again', again)
    expect([await gates.run(change('feat/again')), await read('feat/again'), runs()]).toEqual([
      'done',
      ['failed', 'passed'],
      2,
    ])
    expect((await gates.read({ head: 'f'.repeat(40) })).map(({ status }) => status)).toEqual(['pending', 'pending'])
  })

  it('of another forge judge one change: what a head adds to another branch is another one', async () => {
    const projectDir = join(world.temp.home, 'data')
    const options = { project: { ...world.project, gates: GATES }, projectDir, env: world.context.env }
    const gates = openGates({ ...options, requireTrust: () => undefined })!
    await world.push('hidden', 'infra/prod.tf', 'evil\n')
    world.git('branch', 'shown', 'hidden')
    await world.push('shown', 'harmless.txt', 'harmless\n')
    const [shown, hidden, main] = [head('shown'), head('hidden'), head('main')]
    expect(await gates.run({ head: shown, base: 'hidden', from: hidden, signal })).toBe('done')
    const states = async (base: string) => (await gates.read({ head: shown, base })).map(({ status }) => status)
    expect([await states('hidden'), await states('main')]).toEqual([
      ['passed', 'passed'],
      ['passed', 'pending'],
    ])
    const repository = openRepository(world.repo, world.context.env)
    const open = (branch: string, base: string) => openGate(gates, { repository, head: shown, branch, base })
    expect([await open('hidden', hidden), await open('main', main)]).toEqual([null, 'gate: paths'])
    // The branch was rewritten since: what was judged from its old commit says nothing.
    expect([await open('hidden', main), await states('hidden')]).toEqual(['gate: paths', ['passed', 'pending']])
    await gates.run({ head: shown, base: 'main', from: main, signal })
    const [, paths] = await gates.read({ head: shown, base: 'main' })
    expect([paths!.status, gates.log(paths!, 1000)]).toEqual(['failed', expect.stringContaining('infra/prod.tf')])
  })

  it('which of its own checks a change touches is read from git', async () => {
    const at = { repository: openRepository(world.repo, world.context.env), from: head('main') }
    await world.push('feat/own', 'package.json', '{"scripts":{"test":"true"}}')
    await world.push('feat/own', 'src/a.ts', 'a')
    await world.push('feat/own', 'odd "name"\n.test.ts', 'new')
    const first = head('feat/own')
    await world.push('feat/own', 'odd "name"\n.test.ts', 'changed')
    const read = (from: string) => readChangedChecks({ gates: GATES }, { ...at, from, to: head('feat/own') })
    expect(await read(at.from)).toEqual(['package.json'])
    expect(await read(first)).toEqual(['odd "name"\n.test.ts'])
  })

  it('and so are the files that its checks run, through scripts, makefiles and links, also where the change adds them', async () => {
    const commit = (files: Record<string, string>) => {
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(world.repo, path)), { recursive: true })
        if (text.startsWith('-> ')) symlinkSync(text.slice(3), join(world.repo, path))
        else writeFileSync(join(world.repo, path), text)
      }
      world.git('add', '--all')
      world.git('commit', '--quiet', '--message', 'x')
      return world.git('rev-parse', 'HEAD')
    }
    const from = commit({
      'package.json': '{"scripts":{"test":"make -C own check"}}',
      'own/Makefile': 'check:\n\t./run huge out/x\nother:\n\ttrue\n',
      'own/run': '-> ../real/run.sh',
      'own/out': '-> /etc',
      'real/run.sh': 'node real/a.mjs && sh real/huge.sh',
      'real/a.mjs': '',
      'real/huge.sh': `# ${'x'.repeat(300_000)}\n./real/beyond.sh\n`,
      'real/beyond.sh': '',
    })
    const at = { repository: openRepository(world.repo, world.context.env), from }
    const gates = [{ name: 'all', run: 'npm test' }]
    const edit = async (files: Record<string, string>) => readChangedChecks({ gates }, { ...at, to: commit(files) })
    expect(await edit({ 'own/Makefile': 'check:\n\t./run huge out/x\nother:\n\tfalse\n', 'src/a.ts': '' })).toEqual([])
    const changes = { 'real/run.sh': 'sh new/b.sh', 'real/a.mjs': '1', 'real/huge.sh': '2', 'real/beyond.sh': '3' }
    expect(await edit({ ...changes, 'new/b.sh': './c.sh', 'new/c.sh': '' })).toEqual([
      'new/b.sh',
      'real/a.mjs',
      'real/huge.sh',
      'real/run.sh',
    ])
    expect(await edit({ 'own/Makefile': 'check:\n\ttrue\n' })).toContain('own/Makefile')
  })
})

describe('gates beside a forge elsewhere', () => {
  it('keep a session from being mergeable until they pass; a failure reaches the agent with its log', async () => {
    const world = await createLoopWorld({
      projectYaml: `gates: [{ name: text, run: "test ! -e slow.txt || sleep 600; test ! -e bad.txt || { echo 'bad.txt is bad'; exit 1; }" }]\n`,
    })
    try {
      await agreeToAll(world.config, world.temp)
      const id = await world.spawn()
      const ask = (...args: string[]) => git(world.repo, world.env, ...args)
      addRemote(world)
      ask('switch', '--quiet', '-c', 'work')
      const commit = (file: string) => {
        writeFileSync(join(world.repo, file), file)
        ask('add', file)
        ask('commit', '--quiet', '-m', file)
        return ask('rev-parse', 'HEAD')
      }
      const show = (headSha: string) =>
        world.forge.readings.set(id, {
          kind: 'read',
          snapshot: snapshot({ headSha, ci: 'passing', review: 'approved' }),
        })
      const project = world.config.projects['my-app']!
      const signal = new AbortController().signal
      show(commit('fine.txt'))
      await world.tick()
      expect(world.status(id)).toBe('approved')
      expect(await keepGates(world.loop, project, signal)).toEqual([id])
      expect(await keepGates(world.loop, project, signal)).toEqual([])
      await world.tick()
      expect(world.status(id)).toBe('mergeable')
      // A run that nobody is waiting for is abandoned: its head has moved.
      show(commit('slow.txt'))
      await world.tick()
      const abandoned = keepGates(world.loop, project, signal)
      ask('rm', '--quiet', 'slow.txt')
      show(commit('bad.txt'))
      await world.tick()
      expect(world.status(id)).toBe('approved')
      await abandoned
      await keepGates(world.loop, project, signal)
      await world.tick()
      expect(world.status(id)).toBe('ci_failed')
      expect(world.reactions(id).at(-1)).toBe('ci-failed send-to-agent done')
      const sent = world.store.readHistory(id).events.findLast((one) => one.type === 'message.queued')
      expect(JSON.stringify(sent)).toContain('bad.txt is bad')
      // A file that the gate's command names is one of its own checks.
      expect(world.store.read(id)!.record.changedChecks?.paths).toEqual(['bad.txt'])
    } finally {
      await world.cleanup()
    }
  })

  it('judge it again when its agent makes it for another branch', async () => {
    const world = await createLoopWorld({ projectYaml: 'gates: [{ name: paths, forbid: [infra/] }]\n' })
    try {
      await agreeToAll(world.config, world.temp)
      const id = await world.spawn()
      const ask = (...args: string[]) => git(world.repo, world.env, ...args)
      const commit = (file: string) => {
        mkdirSync(dirname(join(world.repo, file)), { recursive: true })
        writeFileSync(join(world.repo, file), file)
        ask('add', file)
        ask('commit', '--quiet', '-m', file)
        return ask('rev-parse', 'HEAD')
      }
      ask('switch', '--quiet', '-c', 'hidden')
      commit('infra/prod.tf')
      addRemote(world)
      ask('switch', '--quiet', '-c', 'work')
      const headSha = commit('harmless.txt')
      const judge = async (baseBranch: string) => {
        const read = snapshot({ headSha, ci: 'passing', review: 'approved' })
        world.forge.readings.set(id, { kind: 'read', snapshot: { ...read, pr: { ...read.pr, baseBranch } } })
        await world.tick()
        const before = world.status(id)
        await keepGates(world.loop, world.config.projects['my-app']!, new AbortController().signal)
        await world.tick()
        return [before, world.status(id)]
      }
      expect([await judge('hidden'), await judge('main')]).toEqual([
        ['approved', 'mergeable'],
        ['approved', 'ci_failed'],
      ])
    } finally {
      await world.cleanup()
    }
  })

  it('judge what lands, whatever an agent writes into the refs of the repository they share', async () => {
    const world = await createLoopWorld({ projectYaml: 'gates: [{ name: paths, forbid: [infra/] }]\n' })
    try {
      await agreeToAll(world.config, world.temp)
      const id = await world.spawn()
      const ask = (...args: string[]) => git(world.repo, world.env, ...args)
      addRemote(world)
      ask('switch', '--quiet', '-c', 'work')
      const project = world.config.projects['my-app']!
      const judge = async (n: number) => {
        mkdirSync(join(world.repo, 'infra'), { recursive: true })
        writeFileSync(join(world.repo, 'infra', `${n}.tf`), 'x')
        ask('add', 'infra')
        ask('commit', '--quiet', '-m', `${n}`)
        const headSha = ask('rev-parse', 'HEAD')
        const read = snapshot({ headSha, ci: 'passing', review: 'approved' })
        world.forge.readings.set(id, { kind: 'read', snapshot: read })
        await world.tick()
        lies[n]!(headSha)
        await keepGates(world.loop, project, new AbortController().signal).catch((error: unknown) =>
          failures.push(error),
        )
        await world.tick()
        return world.status(id)
      }
      const failures: unknown[] = []
      const [own, fetched] = ['refs/heads/main', 'refs/remotes/origin/main']
      const lies: Array<(head: string) => void> = [
        (head) => [own, fetched].map((ref) => ask('update-ref', ref, head)),
        (head) => ask('symbolic-ref', fetched, `refs/heads/${ask('branch', '--show-current')}`) && head,
        (head) => ask('update-ref', `refs/heads/${fetched}`, head),
        // Without the remote nobody can say; that is not a pass.
        () => ask('remote', 'remove', 'origin'),
      ]
      const states: unknown[] = []
      for (let n = 0; n < lies.length; n++) states.push(await judge(n))
      expect(states).toEqual(['ci_failed', 'ci_failed', 'ci_failed', 'approved'])
      expect(failures.map((error) => (error as AoError).code)).toEqual(['SCM_FAILED'])
    } finally {
      await world.cleanup()
    }
  })
})

function addRemote({ repo, env, temp }: Awaited<ReturnType<typeof createLoopWorld>>): void {
  const bare = join(temp.home, 'forge.git')
  git(repo, env, 'clone', '--quiet', '--bare', repo, bare)
  git(repo, env, 'remote', 'add', 'origin', bare)
}
