// What ao did not start becomes a session: worktrees, branches, conversations and panes, in a home of its own with real git and tmux.
// Nothing of it is moved or removed, whatever becomes of the session, and what histories claim is not believed.
import { execFileSync } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createOpencodeDatabase, type OpencodeDatabase } from '../contract/opencode-database.ts'
import { git } from '../support/git-repo.ts'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'

interface Row {
  kind: string
  name: string
  directory: string | null
  branch: string | null
  agent: string | null
  conversation: string | null
  title: string | null
  refusal: { why: string; hint: string } | null
}

const TALK = '11111111-2222-4333-8444-555555555555'
const OLDER = '21111111-2222-4333-8444-555555555555'

let world: AoWorld
let tree: string

beforeAll(() => buildAo(), 60_000)

beforeEach(() => {
  world = createAoWorld({
    config: 'defaults: { notifiers: [], runtime: process }\nprojects: { app: { path: ., agent: demo } }\n',
  })
  tree = join(world.temp.home, 'mine')
  const { env } = world.temp
  git(world.repo, env, 'worktree', 'add', '--quiet', '-b', 'fix-login', tree)
  writeFileSync(join(tree, 'staged'), 'staged')
  git(tree, env, 'add', 'staged')
  writeFileSync(join(tree, 'untracked'), 'untracked')
  git(world.repo, env, 'branch', 'merged-already')
  git(world.repo, env, 'branch', 'later')
  const commit = git(world.repo, env, 'commit-tree', '-p', 'HEAD', '-m', 'later', 'HEAD^{tree}').trim()
  git(world.repo, env, 'update-ref', 'refs/heads/later', commit)
})

afterEach(async () => {
  await world.ao(['stop', '--sessions'])
  expect(await world.temp.cleanup()).toEqual([])
})

const list = async () => (await world.json<{ work: Row[]; sessionId: string }>(['adopt'])).work
const recordOf = (id: string) => world.json<{ session: Record<string, unknown> }>(['session', 'show', id])
const statusOf = () => git(tree, world.temp.env, 'status', '--porcelain')
const ids = async () =>
  (await world.json<{ sessions: Array<{ id: string }> }>(['session', 'ls'])).sessions.map(({ id }) => id)

/** As Claude Code writes it. */
function talk(id: string, cwd: string, text: string, directory = cwd): string {
  const store = join(world.temp.home, '.claude', 'projects', directory.replace(/[^A-Za-z0-9]/g, '-'))
  mkdirSync(store, { recursive: true })
  const file = join(store, `${id}.jsonl`)
  const line = { type: 'user', cwd, sessionId: id, message: { role: 'user', content: text } }
  writeFileSync(file, `${JSON.stringify(line)}\n`)
  return file
}

const RULE = '─'.repeat(80)
/** Stays, notes how it was started, and draws the input line of Claude Code below what it was told. */
const CLAUDE = `#!/bin/sh
echo "$PWD $* as $NAME" >> "$HOME/started"
while :; do
  printf '\\033[2J\\033[H%s\\n${RULE}\\n❯ \\n${RULE}\\n\\033[3;3H' "$line"
  read -r line || exit
  line="got $line"
done
`

function installClaude(): string {
  const bin = join(world.temp.home, 'bin')
  mkdirSync(bin, { recursive: true })
  writeFileSync(join(bin, 'claude'), CLAUDE, { mode: 0o755 })
  writeFileSync(join(bin, 'imitation'), CLAUDE.replace('$NAME', 'other'), { mode: 0o755 })
  return bin
}

describe('a worktree', () => {
  it('is listed without changing anything, and becomes a session where it is', async () => {
    const before = statusOf()
    expect(await list()).toMatchObject([
      { kind: 'checkout', name: tree, branch: 'fix-login', agent: null, refusal: null },
      { kind: 'branch', name: 'later', directory: null },
    ])
    expect(await ids()).toEqual([])
    const refused = await world.ao(['adopt', 'fix-login'])
    expect(refused.stderr).toContain(`It becomes app-1 on branch fix-login, in ${tree}, which stays where it is`)
    expect(refused.stderr).toContain('Agree with: --yes')
    expect(await ids()).toEqual([])

    const { session } = await world.json<{ session: Record<string, unknown> }>(['adopt', 'fix-login', '--yes'])
    expect(session).toMatchObject({ id: 'app-1', branch: 'fix-login', workspacePath: tree })
    expect(statusOf()).toBe(before)
    expect((await list()).map(({ name }) => name)).toEqual(['later'])
    expect((await world.ao(['adopt', 'fix-login', '--yes'])).stderr).toContain('A session may have it already')
  })

  it('stays as it is, whatever becomes of its session', async () => {
    const before = statusOf()
    await world.ao(['adopt', tree, '--yes'])
    const purged = await world.ao(['session', 'kill', 'app-1', '--purge'])
    expect(purged.stderr).toContain(`${tree} stays as it is`)
    expect([statusOf(), await ids()]).toEqual([before, []])
    expect((await world.ao(['adopt', tree, '--yes'])).code).toBe(0)
    await world.ao(['session', 'kill', 'app-2'])
    expect((await world.ao(['session', 'cleanup'])).stdout).toContain('removed app-2')
    expect(statusOf()).toBe(before)
    // Out of the archive, too, it comes back to the same files.
    expect((await world.ao(['session', 'restore', 'app-2'])).code).toBe(0)
    expect(statusOf()).toBe(before)
    expect(git(world.repo, world.temp.env, 'branch', '--list', 'fix-login')).toContain('fix-login')
  })

  it('cannot be removed by a record that no longer says that it was adopted', async () => {
    const before = statusOf()
    await world.ao(['adopt', tree, '--yes'])
    const file = execFileSync('find', [join(world.temp.home, '.agent-orchestrator'), '-path', '*/sessions/app-1'])
      .toString()
      .trim()
    const record = readFileSync(file, 'utf8')
    writeFileSync(file, record.replace('workspace=existing', 'workspace=worktree').replace(/^adopted=.*\n/m, ''))
    expect((await world.ao(['session', 'kill', 'app-1', '--purge'])).stderr).toContain('was not removed')
    expect(statusOf()).toBe(before)
  })

  it.each(['adopt.reserved', 'restore.runtime-started'])(
    'killed at %s, it is rolled back or can be restored',
    async (point) => {
      const before = statusOf()
      const killed = await world.ao(['adopt', tree, '--yes'], { env: { AO_FAILPOINT: point } })
      expect(killed.signal).toBe('SIGKILL')
      await world.ao(['spawn', '--prompt', 'demo: finish done'])
      if (point === 'adopt.reserved') expect(await ids()).not.toContain('app-1')
      else await world.ao(['session', 'restore', 'app-1'])
      const again = await world.ao(['adopt', tree, '--yes'])
      expect(again.code === 0).toBe(point === 'adopt.reserved')
      expect(statusOf()).toBe(before)
    },
  )

  it('is not adopted inside a session', async () => {
    const inside = { env: { AO_SESSION: 'app-9', AO_CALLER_TYPE: 'agent' } }
    expect((await world.ao(['adopt', tree, '--yes'], inside)).stderr).toContain('not for the agent of a session')
    const orchestrator = { env: { AO_SESSION: 'app-9', AO_CALLER_TYPE: 'orchestrator' } }
    expect((await world.ao(['adopt', tree, '--yes'], orchestrator)).code).not.toBe(0)
    expect(await ids()).toEqual([])
  })
})

it('makes a worktree for a branch, and never deletes that branch', async () => {
  const { session } = await world.json<{ session: { workspacePath: string } }>(['adopt', 'later', '--yes'])
  expect(session.workspacePath).toBe(join(world.temp.home, '.worktrees', 'app', 'app-1'))
  expect(git(session.workspacePath, world.temp.env, 'log', '-1', '--format=%s').trim()).toBe('later')
  await world.ao(['session', 'kill', 'app-1', '--purge'])
  expect(existsSync(session.workspacePath)).toBe(false)
  expect(git(world.repo, world.temp.env, 'branch', '--list', 'later')).toContain('later')
  // One that has landed is not offered, but may be named.
  expect((await world.ao(['adopt', 'merged-already', '--yes'])).code).toBe(0)
})

describe('a conversation', () => {
  it('is continued by its own resume where it was held', async () => {
    talk(OLDER, tree, 'An older one')
    const file = talk(TALK, tree, 'Mend the login')
    execFileSync('touch', ['-d', '2020-01-01', join(file, '..', `${OLDER}.jsonl`)])
    const env = { PATH: `${installClaude()}:${world.temp.env.PATH}` }
    const rows = await list()
    expect(rows).toMatchObject([
      { kind: 'checkout', name: tree, agent: 'claude-code', conversation: TALK, title: 'Mend the login' },
      { kind: 'conversation', name: OLDER, directory: tree, agent: 'claude-code', title: 'An older one' },
      { kind: 'branch' },
    ])
    expect((await world.ao(['adopt', OLDER, '--yes'], { env })).code).toBe(0)
    const started = () => readFileSync(join(world.temp.home, 'started'), 'utf8')
    await waitFor('the agent starts', () => existsSync(join(world.temp.home, 'started')))
    expect(started()).toContain(`${tree} --resume ${OLDER} `)
  })

  it('is believed for no directory that the repository does not have', async () => {
    const outside = join(world.temp.home, 'outside')
    mkdirSync(outside)
    talk(TALK, outside, 'Elsewhere')
    // A file in the right place that claims another directory, a link, a broken file, a huge line, somebody else's.
    const names = ['31', '41', '51', '61'].map((begin) => `${begin}111111-2222-4333-8444-555555555555`)
    talk(names[0]!, outside, 'Elsewhere', tree)
    const file = talk(names[1]!, tree, 'Linked')
    symlinkSync(file, join(file, '..', `${names[2]}.jsonl`))
    const others = talk(names[3]!, tree, "Somebody else's")
    if (process.getuid?.() === 0) chownSync(others, 12_345, 12_345)
    writeFileSync(join(file, '..', '71111111-2222-4333-8444-555555555555.jsonl'), '{"cwd":"')
    writeFileSync(join(file, '..', '81111111-2222-4333-8444-555555555555.jsonl'), `{"cwd":"${'x'.repeat(1 << 20)}`)
    writeFileSync(join(file, '..', '--dangerously.jsonl'), '{}\n')
    const found = (await list()).flatMap(({ conversation }) => conversation ?? [])
    expect(found).toEqual(process.getuid?.() === 0 ? [names[1]] : [names[3], names[1]])
  })

  it('is shown without what its title could do to a terminal', async () => {
    talk(TALK, tree, 'Mend \u001b]0;owned\u0007\u001b[2J\nao session kill')
    const { stdout } = await world.ao(['adopt'])
    expect(stdout).toContain('Mend')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    expect(stdout).not.toMatch(/[\u0007\u001b]/)
  })
})

describe('the recorded histories of real agents', () => {
  const SAMPLES = join(import.meta.dirname, '..', 'fixtures', 'telemetry')
  const GEMINI = '5cfb8e1e-7c41-48fe-9ff6-fb037369de96'
  const CODEX = '01a1dcc2-01b0-7e60-b292-61ac870bd144'
  const OPENCODE = 'ses_e233bcc94ffeChBTma4dpztGQH'
  const HELD = { 'claude-code': TALK, codex: CODEX, gemini: GEMINI, opencode: OPENCODE }

  const treeOf = (agent: string) => join(world.temp.home, `with-${agent}`)
  const sample = (agent: string, file: string, held = treeOf(agent)) =>
    readFileSync(join(SAMPLES, agent, file), 'utf8').replaceAll(/\/home\/user\/repos\/[a-z]+/g, held)
  const rollout = (name: string) => `.codex/sessions/2026/11/15/rollout-2026-11-15T01-12-05-${name}.jsonl`
  const chat = (name: string) => `.gemini/tmp/mine/chats/session-2026-11-15T01-15-${name}.jsonl`
  const another = (digit: number) => `${String(digit).repeat(8)}-1111-4111-8111-111111111111`
  let opencode: OpencodeDatabase

  function put(path: string, content: string): string {
    const file = join(world.temp.home, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
    return file
  }

  /** Each writes down how it was started, and stays. */
  function installAgents(): { PATH: string } {
    const bin = installClaude()
    const stay = '[ "$1" = app-server ] && exit 1\necho "$PWD $*" >> "$HOME/started"\nexec sleep 600\n'
    for (const name of ['codex', 'opencode', 'gemini'])
      writeFileSync(join(bin, name), `#!/bin/sh\n${stay}`, { mode: 0o755 })
    return { PATH: `${bin}:${world.temp.env.PATH}` }
  }

  beforeEach(() => {
    for (const agent of Object.keys(HELD))
      git(world.repo, world.temp.env, 'worktree', 'add', '--quiet', '-b', agent, treeOf(agent))
    const claude = treeOf('claude-code').replace(/[^A-Za-z0-9]/g, '-')
    put(`.claude/projects/${claude}/${TALK}.jsonl`, sample('claude-code', 'transcript.jsonl'))
    put(rollout(CODEX), sample('codex', 'rollout.jsonl'))
    put(chat('5cfb8e1e'), sample('gemini', 'session.jsonl'))
    const projects = { [treeOf('gemini')]: 'mine', [treeOf('codex')]: '../../outside', [tree]: 'linked' }
    put('.gemini/projects.json', JSON.stringify({ projects }))
    opencode = createOpencodeDatabase(join(world.temp.home, '.local', 'share', 'opencode'), treeOf('opencode'))
    opencode.run(`DELETE FROM session WHERE id <> '${OPENCODE}'`)
  })

  afterEach(() => opencode.close())

  it('are previewed, taken, and continued by the resume of each; hostile ones beside them are not', async () => {
    const outside = join(world.temp.home, 'outside')
    const codex = treeOf('codex')
    const elsewhere = put(rollout(another(1)), sample('codex', 'rollout.jsonl', outside))
    put(rollout(another(2)), sample('codex', 'rollout.jsonl', `${codex}/../outside`))
    put(rollout(another(3)), sample('codex', 'rollout.jsonl', `${codex}\\n`))
    put(rollout(another(4)), sample('codex', 'rollout.jsonl').replaceAll('"session_meta"', '"session_meta_v9"'))
    put(rollout(another(5)), `{"type":"session_meta","payload":{"cwd":"${codex}","pad":"${'x'.repeat(2 << 20)}"}}\n`)
    symlinkSync(join(world.temp.home, rollout(CODEX)), join(elsewhere, '..', basename(rollout(another(6)))))
    put('outside/chats/session-2026-11-15T01-15-00000000.jsonl', sample('gemini', 'session.jsonl'))
    put(chat('00000001'), sample('gemini', 'session.jsonl').replaceAll(GEMINI, '--yolo'))
    put(chat('00000002'), `{"sessionId":"${another(7)}","pad":"${'x'.repeat(4 << 20)}`)
    opencode.addSession({ id: '--continue', time_created: 1, time_updated: 1 })
    opencode.addSession({
      id: 'ses_elsewhere1',
      directory: `${treeOf('opencode')}/..`,
      time_created: 1,
      time_updated: 1,
    })

    const env = installAgents()
    const rows = await list()
    const held = rows.flatMap(({ agent, conversation, directory }) =>
      conversation ? [[agent, conversation, directory]] : [],
    )
    expect(held.toSorted()).toEqual(Object.entries(HELD).map(([agent, id]) => [agent, id, treeOf(agent)]))
    const named = await world.ao(['adopt', another(1), '--yes'])
    expect([named.code, named.stderr]).toEqual([
      2,
      expect.stringContaining('a directory that is not one of its worktrees'),
    ])
    expect(await ids()).toEqual([])

    const preview = await world.ao(['adopt', treeOf('gemini')], { env })
    expect(preview.stderr).toContain(`gemini continues its conversation ${GEMINI}`)
    for (const [agent, id] of Object.entries(HELD)) {
      expect((await world.ao(['adopt', treeOf(agent), '--yes'], { env })).code).toBe(0)
      const started = () => readFileSync(join(world.temp.home, 'started'), 'utf8')
      await waitFor(`${agent} continues`, () =>
        started()
          .split('\n')
          .some((line) => line.startsWith(`${treeOf(agent)} `) && line.includes(id)),
      )
    }
  })
})

describe('a pane of the own tmux', () => {
  const tmux = (...args: string[]) => execFileSync('tmux', ['-L', 'own', ...args], { env: world.temp.env }).toString()

  beforeEach(() => {
    const bin = installClaude()
    tmux('-f', '/dev/null', 'new-session', '-d', '-s', 'my/work', '-c', tree, 'env', `PATH=${bin}:/usr/bin:/bin`, 'sh')
    tmux('split-window', '-d', '-t', 'my/work', '-c', world.temp.home, 'sh')
    tmux('send-keys', '-t', '%0', 'claude', 'Enter')
  })

  afterEach(() => {
    execFileSync('tmux', ['-L', 'own', 'kill-server'], { env: world.temp.env })
  })

  const pane = () =>
    waitFor('the agent is in its pane', async () => (await list()).find(({ kind }) => kind === 'terminal'))
  const screen = () => tmux('capture-pane', '-p', '-t', '%0')

  it('goes on there: read and sent to, and no second agent beside it', async () => {
    expect(await pane()).toMatchObject({ kind: 'terminal', name: 'own:%0', directory: tree, agent: 'claude-code' })
    // A second agent in the same worktree is not offered.
    const refused = await world.ao(['adopt', tree, '--yes'])
    expect(refused.stderr).toContain('claude-code is running there as process')
    expect(refused.stderr).toContain('ao adopt own:%0')

    expect((await world.ao(['adopt', 'own:%0', '--yes'])).stdout).toContain('SESSION=app-1')
    expect(await list()).toMatchObject([{ kind: 'branch' }])
    expect((await recordOf('app-1')).session).toMatchObject({ workspacePath: tree, branch: 'fix-login' })
    expect((await world.ao(['send', 'app-1', 'hello there', '--no-wait'])).stdout).toContain('handed over')
    await waitFor('the agent has it', () => screen().includes('got hello there'))
  })

  it('gets no text while another program is in front of it, and is ended alone', async () => {
    await pane()
    await world.ao(['adopt', 'own:%0', '--yes'])
    // Behind another program nothing is typed, even if that one draws the same input line.
    tmux('send-keys', '-t', '%0', 'C-z')
    tmux('send-keys', '-t', '%0', 'imitation', 'Enter')
    await waitFor('the imitation is there', () =>
      readFileSync(join(world.temp.home, 'started'), 'utf8').includes('as other'),
    )
    const behind = await world.ao(['send', 'app-1', 'touch owned', '--no-wait'])
    expect(behind.stderr).toContain('is not what its terminal would type into now')
    expect(screen()).not.toContain('touch owned')
    tmux('send-keys', '-t', '%0', 'C-c')
    tmux('send-keys', '-t', '%0', 'fg', 'Enter')
    expect((await world.ao(['session', 'kill', 'app-1'])).code).toBe(0)
    tmux('send-keys', '-t', '%0', 'jobs; echo no${EMPTY}thing else', 'Enter')
    await waitFor('its shell answers', () => screen().includes('nothing else'))
    expect(screen()).not.toMatch(/Stopped|Running/)
    // The shell of the pane, and the other pane, are the user's.
    expect(tmux('list-panes', '-t', 'my/work', '-F', '#{pane_id} #{pane_dead}').trim().split('\n')).toEqual([
      '%0 0',
      '%1 0',
    ])
    expect(tmux('display-message', '-p', '-t', '%0', '#{@ao_spawn_id}').trim()).toBe('')
  })

  it('is not killed when another process has its number, or another pane its mark', async () => {
    await pane()
    await world.ao(['adopt', 'own:%0', '--yes'])
    tmux('set-option', '-p', '-t', '%0', '@ao_spawn_id', 'other')
    const refused = await world.ao(['session', 'kill', 'app-1'])
    expect(refused.stderr).toContain('was left running: nothing proves that it was adopted')
    tmux('send-keys', '-t', '%0', 'hello', 'Enter')
    await waitFor('the agent answers', () => screen().includes('got hello'))
  })

  it('killed while it is taken, it is nobody’s, and can be adopted again', async () => {
    await pane()
    const killed = await world.ao(['adopt', 'own:%0', '--yes'], { env: { AO_FAILPOINT: 'adopt.terminal-taken' } })
    expect(killed.signal).toBe('SIGKILL')
    expect((await world.ao(['adopt', 'own:%0', '--yes'])).stdout).toContain('SESSION=app-2')
    expect(await ids()).toEqual(['app-2'])
  })
})
