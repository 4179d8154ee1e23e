// The demo agent as a person meets it: a real process in a real terminal, and what its plugin reads about it.
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { plugin } from '../../src/plugins/agent-demo/index.ts'
import { git } from '../support/git-repo.ts'
import { createTempHome, type TempHome } from '../support/temp-home.ts'
import { waitFor } from '../support/wait-for.ts'
import { describeAgentBasics } from './agent-basics.ts'
import { type DemoTerminal, startDemo } from './agent-demo-terminal.ts'

let temp: TempHome
const running: DemoTerminal[] = []

beforeEach(() => {
  temp = createTempHome()
})

afterEach(async () => {
  for (const demo of running.splice(0)) {
    demo.kill('SIGKILL')
    await demo.ended
  }
  expect(await temp.cleanup()).toEqual([])
})

async function start(options: Parameters<typeof startDemo>[1]): Promise<DemoTerminal> {
  const demo = await startDemo(temp, options)
  running.push(demo)
  return demo
}

function readOptions(demo: DemoTerminal, now = new Date()) {
  return { stateDir: demo.launch.stateDir, readyThresholdMs: 300_000, now }
}

describeAgentBasics('demo', {
  plugin,
  program: process.execPath,
  promptIn: (command) => command[command.indexOf('--') + 1],
  files: ({ stateDir }) => [join(stateDir, 'demo-session.jsonl'), join(stateDir, 'demo-launch.json')],
})

const fenced = (...lines: string[]) => `Do this.\n\n\`\`\`demo\n${lines.join('\n')}\n\`\`\`\n`

describe('the demo agent', () => {
  it('says that it is a demo, follows its script, commits, and waits as ready (S0.45)', async () => {
    const demo = await start({
      prompt: fenced('say starting', 'write src/a.txt hello', 'think 2', 'commit Add a file', 'finish I added a file'),
    })
    await demo.untilActivity('ready')
    await waitFor('the commit', () => git(demo.workspace, temp.env, 'log', '-1', '--format=%s') === 'Add a file')
    expect(demo.screen()).toContain('no model behind it')
    expect(readFileSync(join(demo.workspace, 'src/a.txt'), 'utf8')).toBe('hello\n')
    const info = await waitFor('its summary', async () => {
      const read = await demo.agent.getSessionInfo(demo.session, readOptions(demo))
      return read?.summary === 'I added a file' ? read : null
    })
    expect(info).toMatchObject({ cost: { inputTokens: 0, outputTokens: 0, estimatedCostUsd: 0 } })
    expect(info.summaryIsFallback).toBeUndefined()
  })

  it('S0.44 S0.46 is active while it works, and idle when it stays silent beyond the threshold', async () => {
    const demo = await start({ prompt: fenced('say one', 'stuck', 'write after.txt x', 'finish done') })
    await waitFor('the first words', () => demo.screen().includes('one'))
    await demo.untilActivity('active')
    expect(await demo.activity(new Date(Date.now() + 299_000))).toBe('active')
    expect(await demo.activity(new Date(Date.now() + 301_000))).toBe('idle')
    demo.type('go on\r')
    await demo.untilActivity('ready')
    expect(existsSync(join(demo.workspace, 'after.txt'))).toBe(true)
  })

  it('S0.36 S0.47 waits for an answer, takes a pasted one of several lines as one message, and continues', async () => {
    const demo = await start({ prompt: fenced('ask Which colour?', 'write colour.txt chosen', 'finish done') })
    await demo.untilActivity('waiting_input')
    // Its record may be read before its screen is drawn.
    await waitFor('the question', () => demo.agent.detectActivity(lastScreen(demo)) === 'waiting_input')
    const since = new Date()
    demo.paste('blue\nor maybe red')
    await demo.untilActivity('ready')
    expect(existsSync(join(demo.workspace, 'colour.txt'))).toBe(true)
    const seen = (text: string, from: Date) => demo.agent.hasSeen!(demo.session, text, from, readOptions(demo))
    expect(await seen('blue\nor maybe red', since)).toBe(true)
    expect(await seen('blue', since)).toBe(false)
    expect(await seen('blue\nor maybe red', new Date(Date.now() + 60_000))).toBe(false)
  })

  it('asks before a command that is not plainly harmless, and leaves it on no', async () => {
    const demo = await start({ prompt: fenced('run touch made.txt', 'run echo harmless words', 'finish done') })
    await demo.untilActivity('waiting_input')
    demo.type('perhaps\r')
    await waitFor('the second question', () => demo.screen().includes('Please answer yes or no'))
    demo.type('no\r')
    await demo.untilActivity('ready')
    expect(existsSync(join(demo.workspace, 'made.txt'))).toBe(false)
    await waitFor('its output', () => demo.screen().includes('harmless words'))
  })

  it('asks nothing with permissions: skip', async () => {
    const demo = await start({
      prompt: fenced('permission delete everything', 'run touch made.txt', 'finish done'),
      permissions: 'skip',
    })
    await waitFor('the command', () => existsSync(join(demo.workspace, 'made.txt')))
    await demo.untilActivity('ready')
  })

  it('S0.48 is blocked after a failure and continues with the rest when asked to', async () => {
    const demo = await start({ prompt: fenced('fail no credit left', 'write later.txt x', 'finish done') })
    await demo.untilActivity('blocked')
    await waitFor('the cause on its screen', () => demo.screen().includes('no credit left'))
    demo.type('try again\r')
    await demo.untilActivity('ready')
    expect(existsSync(join(demo.workspace, 'later.txt'))).toBe(true)
  })

  it('S0.51 S0.75 continues under the same id after kill -9, with what it had left to do', async () => {
    const demo = await start({ prompt: fenced('write one.txt x', 'wait 100000', 'write two.txt x', 'finish done') })
    await waitFor('the first file', () => existsSync(join(demo.workspace, 'one.txt')))
    const before = await demo.agent.getSessionInfo(demo.session, readOptions(demo))
    demo.kill('SIGKILL')
    await demo.ended
    expect(await demo.activity()).toBe('active')
    const again = await start({ resumeOf: demo, env: { DEMO_AGENT_SPEED: '1000000' } })
    await waitFor('the second file', () => existsSync(join(demo.workspace, 'two.txt')))
    await again.untilActivity('ready')
    const after = await again.agent.getSessionInfo(again.session, readOptions(again))
    expect(after?.agentSessionId).toBe(before?.agentSessionId)
  })

  it('S0.76 has no resume before it ever ran', async () => {
    const demo = await start({})
    const launch = { ...demo.launch, stateDir: join(temp.home, 'elsewhere') }
    expect(await demo.agent.getRestoreCommand?.(demo.session, launch)).toBeNull()
    await demo.untilActivity('ready')
  })

  it('ends with the code of its script, and says exited once the proof of the end is late (S0.49)', async () => {
    const demo = await start({ prompt: fenced('exit 0') })
    expect(await demo.ended).toBe(0)
    expect(await demo.activity()).toBeNull()
    expect(await demo.activity(new Date(Date.now() + 6_000))).toBe('exited')
  })

  it('crashes with the code of its script and continues behind the crash when resumed', async () => {
    const demo = await start({ prompt: fenced('crash 3', 'write after.txt x', 'finish done') })
    expect(await demo.ended).toBe(3)
    const again = await start({ resumeOf: demo })
    await again.untilActivity('ready')
    expect(existsSync(join(demo.workspace, 'after.txt'))).toBe(true)
  })

  it('reacts to a CI failure with the block for it, and later without one', async () => {
    const demo = await start({
      prompt: fenced('say working', 'finish done', 'on ci-failed:', 'write fixed.txt x', 'commit Fix CI'),
    })
    const subject = () => git(demo.workspace, temp.env, 'log', '-1', '--format=%s')
    await demo.untilActivity('ready')
    demo.paste('CI failed on your pull request.\n\n```\nlint: 2 errors\n```')
    await waitFor('the fix', () => subject() === 'Fix CI')
    await demo.untilActivity('ready')
    demo.type('CI failed again\r')
    await waitFor('the second fix', () => subject() === 'Address the CI failure')
    await demo.untilActivity('ready')
    expect(git(demo.workspace, temp.env, 'status', '--porcelain')).toBe('')
  })

  it('works without a script: a note named after the issue, a commit, and gh asked for a pull request', async () => {
    const bin = join(temp.home, 'bin')
    mkdirSync(bin)
    const calls = join(temp.home, 'gh-calls')
    writeFileSync(join(bin, 'gh'), `#!/bin/sh\nprintf '%s\\n' "$@" > "${calls}"\necho https://forge.example/pull/5\n`)
    chmodSync(join(bin, 'gh'), 0o755)
    const demo = await start({
      prompt: 'You work on app.\n\n## Issue 7\n\n~~~\n# Fix "login"; $(touch x)\n~~~',
      env: { PATH: `${bin}:${temp.env.PATH}` },
    })
    await demo.untilActivity('ready')
    await waitFor('the pull request', () => demo.screen().includes('https://forge.example/pull/5'))
    expect(readFileSync(calls, 'utf8').split('\n').slice(0, 4)).toEqual([
      'pr',
      'create',
      '--title',
      'Fix "login"; $(touch x)',
    ])
    expect(readFileSync(calls, 'utf8')).toContain('--head\nfeat/issue-7\n')
    expect(readFileSync(join(demo.workspace, 'demo/7.md'), 'utf8')).toContain('no model behind it')
    expect(existsSync(join(demo.workspace, 'x'))).toBe(false)
  })

  it('continues when there is no gh, and commits with a neutral author only where git has none', async () => {
    const demo = await start({
      prompt: fenced('write a x', 'commit One', 'pr A title', 'finish done'),
      env: {
        PATH: '/usr/bin:/bin',
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_CONFIG_COUNT: '1',
        GIT_CONFIG_KEY_0: 'user.useConfigOnly',
        GIT_CONFIG_VALUE_0: 'true',
      },
    })
    await demo.untilActivity('ready')
    await waitFor('the end', () => demo.screen().includes('Finished'))
    expect(git(demo.workspace, temp.env, 'log', '-1', '--format=%an <%ae>')).toBe(
      'Demo Agent <demo-agent@example.invalid>',
    )
    expect(demo.screen()).toContain('could not open a pull request')
  })

  it('stays inside its workspace', async () => {
    const demo = await start({ prompt: fenced('write ../escaped.txt x', 'write .git/hooks/x y', 'finish done') })
    await demo.untilActivity('ready')
    await waitFor('the end', () => demo.screen().includes('Finished'))
    expect(existsSync(join(temp.home, 'escaped.txt'))).toBe(false)
    expect(existsSync(join(demo.workspace, '.git/hooks/x'))).toBe(false)
    expect(demo.screen()).toContain('outside the workspace')
  })

  it('stops its turn on Ctrl-C, continues when asked to, and quits on /exit', async () => {
    const demo = await start({ prompt: fenced('wait 1000000', 'write later.txt x', 'finish done') })
    await waitFor('the wait', () => demo.screen().includes('waiting for'))
    demo.type('\x03')
    await waitFor('the interruption', () => demo.screen().includes('Interrupted'))
    // The screen shows it a moment before the agent's own log does.
    await demo.untilActivity('ready')
    expect(demo.agent.detectActivity(lastScreen(demo))).toBe('ready')
    demo.type('/exit\r')
    expect(await demo.ended).toBe(0)
  })

  it('takes 100 KB of many lines byte for byte, also while it is busy', async () => {
    const demo = await start({ prompt: fenced('wait 20', 'finish done') })
    await waitFor('the wait', () => demo.screen().includes('waiting for'))
    const text = Array.from({ length: 2_000 }, (_, n) => `${n} "quoted" $x \`y\` äöü 日本語 ${'.'.repeat(10)}`).join(
      '\n',
    )
    const since = new Date()
    demo.paste(text)
    await waitFor('the message', () => demo.agent.hasSeen!(demo.session, text, since, readOptions(demo)))
    const log = readFileSync(join(demo.launch.stateDir, 'demo-session.jsonl'), 'utf8')
    const received = log.split('\n').filter((line) => line.includes('message.received'))
    expect(JSON.parse(received.at(-1)!).text).toBe(text)
  })

  it('reads a task from the prompt file when it is too long for an argument', async () => {
    const demo = await start({ prompt: `${'x'.repeat(150_000)}\n${fenced('write long.txt x', 'finish done')}` })
    await waitFor('the file', () => existsSync(join(demo.workspace, 'long.txt')))
  })

  it('ends on SIGTERM together with the command that it runs', async () => {
    const demo = await start({ prompt: fenced('run sleep 1000'), permissions: 'skip' })
    await waitFor('the command', () => demo.screen().includes('running sleep'))
    demo.kill('SIGTERM')
    expect(await demo.ended).toBe(143)
  })
})

/** The current text of the terminal's bottom line. */
function lastScreen(demo: DemoTerminal): string {
  return demo.screen().split('\r\x1b[J').at(-1)!.replaceAll('\r\n', '\n')
}
