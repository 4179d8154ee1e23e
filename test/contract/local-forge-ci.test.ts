// CI of the local forge: on the exact commit, one at a time, through timeouts, moved heads and crashes; nothing is left.
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { advanceCi } from '../../src/forge/advance-ci.ts'
import { observePull } from '../../src/forge/pulls/observe-pulls.ts'
import { openPull } from '../../src/forge/pulls/open-pull.ts'
import { hashConfigDir, projectDirectory } from '../../src/lib/process/own-home.ts'
import { plugin } from '../../src/plugins/scm-local/index.ts'
import { testProgram } from '../support/test-program.ts'
import { waitFor } from '../support/wait-for.ts'
import { createForgeWorld, type ForgeWorld } from './local-forge-world.ts'

const ADVANCE_IN_CHILD = testProgram('advance-ci')

/** Directories whose name does not begin with the hash, and what CI has left in the project's own. */
function dataOf({ context, project }: ForgeWorld): { foreign: string[]; ci: string[] } {
  const own = projectDirectory(context, project.id)
  const hash = hashConfigDir(context.configDir)
  return {
    foreign: readdirSync(context.dataDir).filter((name) => !name.startsWith(`${hash}-`)),
    ci: readdirSync(join(own, 'ci')),
  }
}

describe('CI of the local forge', () => {
  let world: ForgeWorld
  const start = (...commands: Array<{ name: string; run: string; timeout?: number }>) => {
    world = createForgeWorld({ config: { ci: { commands } } })
    return world
  }
  afterEach(() => world.cleanup())
  const view = (number = 1) => observePull(world.forge, world.forge.pulls.read(number)!)

  it('S0.15 S0.16 S0.18 S1.12 runs on the exact head commit, outside the user’s tree, and keeps the log', async () => {
    const { forge, push, repo } = start(
      { name: 'where', run: 'pwd; git rev-parse HEAD; cat a.txt; git status --porcelain' },
      { name: 'unit', run: 'echo AssertionError: 1 is not 2; exit 3' },
    )
    const head = await push('feat/1', 'a.txt', 'content\n')
    await openPull(forge, { title: 'One', body: '', head: 'feat/1' })
    expect((await view()).ci).toBe('pending')
    expect(await advanceCi(forge)).toBe('done')
    const { ci, checks, failingOnBase } = await view()
    expect([ci, failingOnBase]).toEqual(['failing', ['unit']])
    expect(checks.map(({ status }) => status)).toEqual(['passed', 'failed'])
    const log = await world.scm.getCheckLog!({ url: '' }, checks[0]!, world.project)
    expect(log).toContain(`${head}\ncontent\n`)
    expect(log).not.toContain(`${repo}\n`)
    expect(await world.scm.getCheckLog!({ url: '' }, checks[1]!, world.project)).toContain('AssertionError: 1 is not 2')
    expect(world.git('worktree', 'list').split('\n')).toHaveLength(1)
    expect(dataOf(world)).toEqual({ foreign: [], ci: [] })
  })

  it('a failure on a head runs once more before anybody hears of it; one that passes then counts, and is marked as flaky', async () => {
    const fails = 'echo run >> "$HOME/runs"; test -e "$HOME/ok" || { touch "$HOME/ok"; echo AssertionError; exit 1; }'
    const { forge, push, context } = start({ name: 'unit', run: `${fails}; echo fine` }, { name: 'lint', run: 'true' })
    await push('feat/1', 'a.txt', 'x\n')
    await openPull(forge, { title: 'One', body: '', head: 'feat/1' })
    const seen: Promise<string>[] = []
    await advanceCi(forge, { onProgress: () => seen.push(view().then(({ ci }) => ci)) })
    expect(await Promise.all(seen)).toEqual(['pending', 'pending', 'pending'])
    const { ci, checks } = await view()
    expect([ci, ...checks.map(({ note, isFlaky }) => [note, isFlaky])]).toEqual([
      'passing',
      ['flaky: passed on the second run', true],
      [undefined, undefined],
    ])
    const log = await world.scm.getCheckLog!({ url: '' }, checks[0]!, world.project)
    expect(log).toMatch(/AssertionError[\s\S]*the second run ---[\s\S]*fine/)
    expect(readFileSync(join(context.home, 'runs'), 'utf8')).toBe('run\n'.repeat(2))
  })

  it('never runs more than twice on a head, and once when the project knows the check as reliable or its start fails too', async () => {
    const { forge, push, context } = start({
      name: 'unit',
      run: 'echo $(cat a.txt) >> "$HOME/runs"; test ! -e a.txt',
    })
    const command = forge.options.ci[0]!
    const failed = { ...command, status: 'failed', owner: '', startedAt: '' } as const
    const secondRun = (commit: string, status: 'passed' | 'failed') => {
      forge.checks.write(commit, failed)
      forge.checks.keepFailure(commit, failed)
      forge.checks.write(commit, { ...failed, status, again: true })
    }
    const runOf = async (name: string) => {
      await push(`feat/${name}`, 'a.txt', `${name}\n`)
      const { pull } = await openPull(forge, { title: name, body: '', head: `feat/${name}` })
      await advanceCi(forge)
      return view(pull.number)
    }
    const runs = () => readFileSync(join(context.home, 'runs'), 'utf8').replace(/\s/g, '')
    expect([(await runOf('1')).checks[0]?.note, runs()]).toEqual(['failed twice', '11'])
    for (const commit of ['a', 'b']) secondRun(commit.repeat(40), 'failed')
    expect([(await runOf('2')).checks[0]?.note, runs()]).toEqual([undefined, '112'])
    // By hand it is the second run.
    await world.scm.rerunChecks!(await view(2), world.project)
    await advanceCi(forge)
    expect([(await view(2)).checks[0]?.note, runs()]).toEqual(['failed twice', '1122'])
    secondRun('c'.repeat(40), 'passed')
    forge.checks.write(world.git('rev-parse', 'main'), failed)
    expect([(await runOf('3')).failingOnBase, runs()]).toEqual([['unit'], '11223'])
  })

  it('run again when one failed, from the first, and not while they run or after the end', async () => {
    const { forge, push } = start({ name: 'unit', run: 'test -e fixed || { touch fixed; exit 1; }' })
    await push('feat/1', 'a.txt', 'x\n')
    await openPull(forge, { title: 'One', body: '', head: 'feat/1' })
    const again = async () => world.scm.rerunChecks!(await view(), world.project)
    await expect(again()).rejects.toThrow('running or about to run')
    await advanceCi(forge)
    expect((await view()).checks[0]).toMatchObject({ status: 'failed' })
    await again()
    expect((await view()).checks[0]).toMatchObject({ status: 'pending' })
    await advanceCi(forge)
    expect((await view()).checks[0]).toMatchObject({ status: 'failed' })
  })

  it('knows which failures the commit that work started from has too, and which are new', async () => {
    const { forge, push } = start({ name: 'old', run: 'false' }, { name: 'new', run: 'test ! -e a.txt' })
    await push('feat/1', 'a.txt', 'x\n')
    await openPull(forge, { title: 'One', body: '', head: 'feat/1' })
    await advanceCi(forge)
    expect(await view()).toMatchObject({ ci: 'failing', failingOnBase: ['old'] })
  })

  it('knows it also while a gate waits for a reviewer, who comes only once the tests pass', async () => {
    world = createForgeWorld({
      config: { ci: { commands: [{ name: 'new', run: 'test ! -e a.txt' }] } },
      gates: [{ name: 'reviewed', reviewed: 'major' }],
    })
    await world.push('feat/1', 'a.txt', 'x\n')
    await openPull(world.forge, { title: 'One', body: '', head: 'feat/1' })
    await advanceCi(world.forge)
    expect(await view()).toMatchObject({ ci: 'failing', failingOnBase: [] })
  })

  it('S0.20 runs again after a push, and only what was not run', async () => {
    const { forge, push, context } = start({ name: 'unit', run: `echo run >> ${'$HOME'}/runs; grep -q good a.txt` })
    await push('feat/1', 'a.txt', 'bad\n')
    await openPull(forge, { title: 'One', body: '', head: 'feat/1' })
    await advanceCi(forge)
    expect((await view()).ci).toBe('failing')
    await push('feat/1', 'a.txt', 'good\n')
    expect((await view()).ci).toBe('pending')
    await advanceCi(forge)
    await advanceCi(forge)
    expect((await view()).ci).toBe('passing')
    // The head twice, what it started from, the new head.
    expect(readFileSync(join(context.home, 'runs'), 'utf8')).toBe('run\n'.repeat(4))
    expect(forge.pulls.read(1)?.heads).toHaveLength(2)
  })

  it('ends the whole family of a command that takes too long', async () => {
    const { forge, push } = start({ name: 'slow', run: '(sleep 300 & setsid sleep 300 & wait)', timeout: 0.3 })
    await push('feat/1', 'a.txt', 'x\n')
    await openPull(forge, { title: 'One', body: '', head: 'feat/1' })
    forge.checks.write(world.git('rev-parse', 'main'), {
      ...forge.options.ci[0]!,
      status: 'passed',
      owner: '',
      startedAt: '',
    })
    await advanceCi(forge)
    const { checks, ci } = await view()
    expect(ci).toBe('failing')
    expect(await world.scm.getCheckLog!({ url: '' }, checks[0]!, world.project)).toContain('did not finish in 0.3 s')
  })

  it('a command that leaves a server running does not keep CI waiting, and the server is gone', async () => {
    const { forge, push } = start({ name: 'server', run: 'sleep 300 & echo started' })
    await push('feat/1', 'a.txt', 'x\n')
    await openPull(forge, { title: 'One', body: '', head: 'feat/1' })
    await advanceCi(forge)
    expect((await view()).ci).toBe('passing')
  })

  it('gives up a commit when the head has moved on', async () => {
    const { forge, push, context } = start({
      name: 'unit',
      run: `touch ${'$HOME'}/started; grep -q quick a.txt || sleep 300`,
    })
    await push('feat/1', 'a.txt', 'slow\n')
    await openPull(forge, { title: 'One', body: '', head: 'feat/1' })
    const running = advanceCi(forge)
    await waitFor('the check to run', () => existsSync(join(context.home, 'started')))
    expect((await view()).checks[0]?.status).toBe('running')
    const head = await push('feat/1', 'a.txt', 'quick\n')
    await running
    expect(await view()).toMatchObject({ ci: 'passing', headSha: head })
  })

  it('never runs anything without consent', async () => {
    const { push, project, context } = start({ name: 'unit', run: `touch ${'$HOME'}/ran` })
    const { requireTrust: _, ...nobody } = context
    const scm = plugin.create({ ci: { commands: [{ name: 'unit', run: 'true' }] } }, nobody)
    await push('feat/1', 'a.txt', 'x\n')
    await openPull(world.forge, { title: 'One', body: '', head: 'feat/1' })
    await expect(scm.advance!(project)).rejects.toMatchObject({ code: 'CONFIG_UNTRUSTED' })
    expect(existsSync(join(context.home, 'ran'))).toBe(false)
  })

  it('leaves it to the process that is at it, and starts again what one left that was killed', async () => {
    const { forge, push, context, project, temp } = start({
      name: 'unit',
      run: `echo go >> ${'$HOME'}/runs; test -e ${'$HOME'}/quick || sleep 300`,
    })
    await push('feat/1', 'a.txt', 'x\n')
    await openPull(forge, { title: 'One', body: '', head: 'feat/1' })
    const request = JSON.stringify({
      project,
      dataDir: context.dataDir,
      configDir: context.configDir,
      ci: forge.options.ci,
    })
    const child = spawn(process.execPath, [ADVANCE_IN_CHILD, request], { env: temp.env, stdio: 'ignore' })
    const ended = new Promise((resolve) => child.on('exit', resolve))
    await waitFor('the check to run', () => existsSync(join(context.home, 'runs')))
    expect((await view()).checks[0]?.status).toBe('running')
    expect(await advanceCi(forge)).toBe('done')
    child.kill('SIGKILL')
    await ended
    expect((await view()).checks[0]?.status).toBe('pending')
    writeFileSync(join(context.home, 'quick'), '')
    expect(await advanceCi(forge)).toBe('done')
    expect((await view()).ci).toBe('passing')
    expect(readFileSync(join(context.home, 'runs'), 'utf8')).toBe('go\ngo\n')
  })

  it.each(['ci.announced', 'ci.checked-out'])('killed at %s, the next run clears up and runs', async (failpoint) => {
    const { forge, push, context, project, temp } = start({ name: 'unit', run: 'true' })
    await push('feat/1', 'a.txt', 'x\n')
    await openPull(forge, { title: 'One', body: '', head: 'feat/1' })
    const request = JSON.stringify({
      project,
      dataDir: context.dataDir,
      configDir: context.configDir,
      ci: forge.options.ci,
    })
    const env = { ...temp.env, AO_FAILPOINT: failpoint }
    const child = spawn(process.execPath, [ADVANCE_IN_CHILD, request], { env, stdio: 'ignore' })
    expect(await new Promise((resolve) => child.on('exit', (_, signal) => resolve(signal)))).toBe('SIGKILL')
    expect(await advanceCi(forge)).toBe('done')
    expect((await view()).ci).toBe('passing')
    expect(world.git('worktree', 'list').split('\n')).toHaveLength(1)
    expect(dataOf(world)).toEqual({ foreign: [], ci: [] })
  })

  it('a commit that cannot be checked out does not keep the others waiting, and is reported', async () => {
    const { forge, push } = start({ name: 'unit', run: 'true' })
    const broken = await push('feat/1', 'a.txt', 'unique content\n')
    await push('feat/2', 'b.txt', 'x\n')
    for (const head of ['feat/1', 'feat/2']) await openPull(forge, { title: head, body: '', head })
    await observePull(forge, forge.pulls.read(1)!)
    const blob = world.git('rev-parse', `${broken}:a.txt`)
    rmSync(join(world.repo, '.git', 'objects', blob.slice(0, 2), blob.slice(2)))
    await expect(advanceCi(forge)).rejects.toMatchObject({ code: 'GIT_FAILED' })
    expect((await view(2)).ci).toBe('passing')
    expect((await view(1)).checks[0]?.status).toBe('pending')
    expect(dataOf(world)).toEqual({ foreign: [], ci: [] })
  })

  it('asks git once for many pull requests, however often it looks', async () => {
    const { forge, push, scm, project, context } = start({ name: 'unit', run: 'true' })
    for (let n = 1; n <= 5; n++) {
      await push(`feat/${n}`, `${n}.txt`, 'x\n')
      await openPull(forge, { title: `${n}`, body: '', head: `feat/${n}` })
    }
    const queries = [1, 2, 3, 4, 5].map((n) => ({ sessionId: `app-${n}`, branch: `feat/${n}`, pr: null }))
    await scm.readPullRequests!(queries, project)
    const calls = join(context.home, 'git-calls')
    const script = `#!/bin/sh\necho "$*" >> ${calls}\nPATH=\${PATH#*:} exec git "$@"\n`
    writeFileSync(join(context.home, 'git'), script, { mode: 0o755 })
    context.env.PATH = `${context.home}:${context.env.PATH}`
    await scm.readPullRequests!(queries, project)
    expect(readFileSync(calls, 'utf8').trim().split('\n')).toHaveLength(1)
  })

  it.each([
    [{ colour: 'red' }, /colour/],
    [{ ci: { commands: [{ name: 'a' }] } }, /run/],
    [{ ci: { commands: [{ name: 'a', run: 'x', timeout: 0 }] } }, /timeout/],
    [
      {
        ci: {
          commands: [
            { name: 'a', run: 'x' },
            { name: 'a', run: 'y' },
          ],
        },
      },
      /two ci.commands are named a/,
    ],
    [{ merge: 'octopus' }, /merge/],
  ])('refuses the options %j', (options, why) => {
    start()
    expect(() => plugin.create(options, world.context)).toThrow(why)
  })
})
