import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { waitFor } from '../../../test/support/wait-for.ts'
import { identify } from './process-identity.ts'
import { type ProcessRow, readProcessTable, readSharedTable } from './process-table.ts'

const directory = realpathSync(tmpdir())
let child: ChildProcess

beforeAll(() => {
  child = spawn('sleep', ['60'], { cwd: directory, env: { PATH: process.env.PATH, COLOUR: 'blue' }, detached: true })
})

afterAll(() => {
  child.kill('SIGKILL')
})

describe('readSharedTable', () => {
  it('reads once for all who ask before it reads, and again for who asks after that', async () => {
    const [first, second] = await Promise.all([readSharedTable(), readSharedTable()])
    expect(second).toBe(first)
    const request = readSharedTable()
    expect(await request).not.toBe(first)
  })

  it('shows what was started before it was asked', async () => {
    const earlier = readSharedTable()
    await earlier
    const late = spawn('sleep', ['60'])
    try {
      expect((await readSharedTable()).map(({ identity }) => identity.pid)).toContain(late.pid)
    } finally {
      late.kill('SIGKILL')
    }
  })
})

describe('readProcessTable', () => {
  it.each(['linux', 'darwin'] as const)('knows parent and leader of a process, read as on %s', async (platform) => {
    const row = await rowOfChild(platform)
    expect(row).toMatchObject({ parent: process.pid, session: child.pid })
    expect(readProcessTable(platform).map((one) => one.identity.pid)).not.toContain(process.pid)
  })

  it('knows identity, environment and directory on Linux', async () => {
    const row = await rowOfChild('linux')
    expect(row.identity).toEqual(identify(child.pid!))
    expect(row.hasTerminal).toBe(false)
    expect(row.environment.value('COLOUR')).toBe('blue')
    expect(row.environment.value('OLOUR')).toBeNull()
    expect(row.commandLine()).toContain('sleep 60')
    expect(row.worksIn(directory)).toBe(true)
    expect(row.worksIn(`${directory}/below`)).toBe(false)
    expect(row.worksIn(directory.slice(0, -1))).toBe(false)
  })

  it('reads an environment in which another value is not valid text', async () => {
    const script = `export ODD="$(printf '\\377\\342')"; exec env -u COLOUR ODD="$ODD" COLOUR=green sleep 60`
    const odd = spawn('sh', ['-c', script], { stdio: 'ignore' })
    try {
      const colour = () =>
        readProcessTable('linux')
          .find(({ identity }) => identity.pid === odd.pid)
          ?.environment.value('COLOUR')
      await expect.poll(colour).toBe('green')
    } finally {
      odd.kill('SIGKILL')
    }
  })

  it('leaves out the threads of the kernel', ({ skip }) => {
    if (!existsSync('/proc/2/comm') || readFileSync('/proc/2/comm', 'utf8') !== 'kthreadd\n')
      skip('none are shown here')
    const inTable = readProcessTable('linux').some(({ identity, parent }) => identity.pid === 2 || parent === 2)
    expect(inTable).toBe(false)
  })
})

function rowOfChild(platform: NodeJS.Platform): Promise<ProcessRow> {
  return waitFor('the child to run', () =>
    readProcessTable(platform).find((row) => row.identity.pid === child.pid && row.session === child.pid),
  )
}
