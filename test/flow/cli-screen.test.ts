// What a person sees: the commands on a real terminal, which is a tmux pane of the test.
import { execFileSync, spawn } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AO, type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'

let world: AoWorld
beforeAll(async () => {
  buildAo()
  world = createAoWorld()
  await world.ao(['spawn', '42', '--prompt', 'demo: say hello\ndemo: ask Which colour?'])
  await waitFor('the question', async () => (await world.ao(['session', 'ls'])).stdout.includes('needs_input'))
})
afterAll(async () => {
  tmux('kill-server')
  await world.ao(['session', 'kill', 'app-1', '--purge', '--force'])
  expect(await world.temp.cleanup()).toEqual([])
})

function tmux(...args: string[]): string {
  return execFileSync('tmux', ['-L', 'user', '-f', '/dev/null', ...args], {
    cwd: world.repo,
    env: { ...world.temp.env, ENV: '', AO: `'${process.execPath}' '${AO}'` },
    encoding: 'utf8',
  })
}

function screen(name: string): string {
  return tmux('capture-pane', '-p', '-t', `=${name}:`).trimEnd()
}

/** Types a line into a shell of its own in the user's tmux. */
function open(name: string, line: string, columns = 80): void {
  tmux('new-session', '-d', '-s', name, '-x', String(columns), '-y', '24', 'sh')
  tmux('send-keys', '-t', `=${name}:`, line, 'Enter')
}

async function seen(name: string, pattern: RegExp, timeoutMs?: number): Promise<string> {
  return waitFor(
    `${pattern} on the screen`,
    () => {
      const text = screen(name)
      if (pattern.test(text)) return text
      // What is there instead is part of the failure.
      throw new Error(text)
    },
    timeoutMs,
  )
}

/** Presses the detach key. tmux takes keys that follow each other faster than any fingers for a paste, and a paste for
 *  text: so it is pressed again until it counts. */
function leave(name: string, until = /^code 0$/m): Promise<string> {
  return pressUntil(name, ['C-b', 'd'], until)
}

/** Presses again what did not count: the terminal was not there yet, or the key came before anybody could read. */
async function pressUntil(name: string, keys: string[], until: RegExp): Promise<string> {
  for (let presses = 1; ; presses++) {
    for (const key of keys) tmux('send-keys', '-t', `=${name}:`, key)
    try {
      return await seen(name, until, 2_000)
    } catch (error) {
      if (presses === 10) throw error
    }
  }
}

describe('on a terminal', () => {
  it.each([80, 140])('a list fits %i columns and has colours', async (columns) => {
    open(`ls${columns}`, "clear; eval $AO session ls; echo 'the end'", columns)
    const text = await seen(`ls${columns}`, /^the end$/m)
    expect(text).toMatch(/^app-1 +! needs_input/m)
    const lines = text.split('\n')
    expect(lines.filter((line) => line.startsWith('app-') || line.startsWith('SESSION'))).toHaveLength(2)
    const colours = tmux('capture-pane', '-p', '-e', '-t', `=ls${columns}:`)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are what is looked for
    expect(colours).toMatch(/\u001b\[[\d;]*33m/)
  })

  it('status --watch follows changes in place and gives the terminal back on Ctrl-C', async () => {
    open('watch', 'clear; eval $AO status --watch; echo "code $?"', 100)
    await seen('watch', /Needs you \(1\)\n {2}app-1 +! needs_input/)
    expect(tmux('display-message', '-p', '-t', '=watch:', '#{cursor_flag}').trim()).toBe('0')
    await world.ao(['send', 'app-1', 'blue'])
    const text = await seen('watch', /Needs you \(1\)\n {2}app-1 +! finished +ready/)
    expect(text.match(/app-1/g)).toHaveLength(1)
    tmux('send-keys', '-t', '=watch:', 'C-c')
    await seen('watch', /^code 130$/m)
    expect(tmux('display-message', '-p', '-t', '=watch:', '#{cursor_flag}').trim()).toBe('1')
  })

  it('next shows what waits for the person, and one key deals with it', async () => {
    open('next', 'clear; eval $AO next; echo "code $?"', 100)
    expect(await seen('next', /q quit/)).toMatch(/app-1 has finished its turn/)
    tmux('send-keys', '-t', '=next:', 'z')
    await seen('next', /app-1: put off for an hour[\s\S]*^code 0$/m)
    expect(await world.json(['next'])).toMatchObject({ items: [] })
    await world.ao(['session', 'snooze', 'app-1', '--off'])
    expect(await world.json(['next'])).toMatchObject({ items: [{ kind: 'finished', sessions: [{ id: 'app-1' }] }] })
    expect((await world.ao(['next'])).stdout).toMatch(/app-1 has finished its turn/)
  })

  it("S0.58 attach works inside the user's own tmux, shows the agent, and leaves by the detach key", async () => {
    open('attach', 'clear; eval $AO session attach app-1; echo "code $?"', 100)
    await seen('attach', /Demo agent/)
    const text = await leave('attach')
    expect(text).toContain('left app-1')
    expect(text).not.toMatch(/[0-9a-f]{12}-app-1/)
    expect((await world.ao(['session', 'ls'])).stdout).toMatch(/^app-1 +! finished/m)
  })

  it('ao alone opens the board: find, approve exactly what is shown, send, attach and come back', async () => {
    await world.ao(['spawn', '--prompt', 'demo: permission rm -rf build\ndemo: ask Which shape?'])
    // Outside of the repository, which is the only one.
    open('board', 'cd /; clear; eval $AO; echo "code $?"')
    await seen('board', /no loop is running: read here\n\[1 Queue 2\][\s\S]*app-2 +permission/)
    const type = (text: string) => tmux('send-keys', '-l', '-t', '=board:', text)
    tmux('send-keys', '-t', '=board:', '/')
    await seen('board', /\/_$/m)
    type('ap2')
    await seen('board', /\/ap2_$/m)
    expect(await pressUntil('board', ['Enter'], /\/ap2$/m)).not.toContain('app-1')
    tmux('set-buffer', 'y')
    tmux('paste-buffer', '-p', '-t', '=board:')
    await seen('board', /Pasted text presses no key here/)
    tmux('send-keys', '-t', '=board:', 'y')
    await seen('board', /app-2 asks for permission ─[\s\S]*Permission needed: rm -rf build/)
    tmux('paste-buffer', '-p', '-t', '=board:')
    await seen('board', /Pasted text presses no key here/)
    await pressUntil('board', ['y'], /app-2 +question/)
    tmux('send-keys', '-t', '=board:', 'Space')
    await seen('board', /to app-2 ─[\s\S]*reply: _/)
    type('a circle')
    await seen('board', /reply: a circle_/)
    tmux('send-keys', '-t', '=board:', 'Enter')
    await seen('board', /^app-2: (?:seen|handed over)/m)
    tmux('send-keys', '-t', '=board:', '2')
    await seen('board', /\[2 Sessions 2\][\s\S]*^> app-2/m)
    // Twice in one read, and attached once.
    tmux('send-keys', '-t', '=board:', 'Enter', 'Enter')
    expect(await seen('board', /app-2 .*leave: C-b d$/m)).toContain('a circle')
    await leave('board', /\[2 Sessions 2\]/)
    await pressUntil('board', ['q'], /^code 0$/m)
    expect(tmux('display-message', '-p', '-t', '=board:', '#{cursor_flag}').trim()).toBe('1')
    await world.ao(['session', 'kill', 'app-2', '--purge', '--force'])
  })

  it('a read-only look passes nothing on to the agent', async () => {
    open('look', 'clear; eval $AO session attach --read-only app-1; echo "code $?"', 100)
    await seen('look', /Demo agent/)
    tmux('send-keys', '-t', '=look:', 'must not arrive')
    await leave('look')
    open('check', 'clear; eval $AO session attach --read-only app-1', 100)
    expect(await seen('check', /Demo agent/)).not.toContain('must not arrive')
  })
})

describe('without a terminal', () => {
  it('status --watch --json prints one line per change', async () => {
    const child = spawn(process.execPath, [AO, 'status', '--watch', '--json'], { cwd: world.repo, env: world.temp.env })
    let out = ''
    child.stdout.on('data', (chunk) => {
      out += chunk
    })
    const lines = () =>
      out
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    await waitFor('the first line', () => lines().length > 0)
    await world.ao(['session', 'kill', 'app-1'])
    await waitFor('a line that says killed', () => lines().at(-1)?.sessions[0]?.status === 'killed')
    expect(lines()[0]).toMatchObject({ sessions: [{ id: 'app-1', status: 'working' }] })
    const ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal)))
    child.kill('SIGINT')
    expect(['SIGINT', 130]).toContain(await ended)
  })

  it('status --watch ends at the first change after its reader has left', async () => {
    const script = `'${process.execPath}' '${AO}' status --watch | { read -r line; echo "$line"; }`
    const child = spawn('bash', ['-c', script], { cwd: world.repo, env: world.temp.env })
    const first = new Promise<string>((resolve) => child.stdout.once('data', (chunk) => resolve(String(chunk))))
    const ended = new Promise((resolve) => child.once('close', resolve))
    expect(await first).toMatch(/^--- \d{4}-/)
    await world.ao(['session', 'restore', 'app-1'])
    expect(await ended).toBe(0)
  })

  it('attach refuses with a hint', async () => {
    const { code, stderr } = await world.ao(['session', 'attach', 'app-1'])
    expect(code).toBe(2)
    expect(stderr).toBe('error: Attaching needs a terminal\nhint: Inspect it with: ao session show app-1\n')
  })
})
