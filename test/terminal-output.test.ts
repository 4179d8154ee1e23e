// D14 D15: text of files, agents and forges reaches the terminal through one place, which sanitizes it.
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { createIo } from '../src/cli/print/io.ts'
import { createLog } from '../src/lib/log.ts'

const ATTACK = 'a\u001b[2J\u001b]52;c;ZXZpbA==\u0007\u009b1A\u202eb\u200bc\rd'
const DANGEROUS = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

function openStreams() {
  const written = { stdout: '', stderr: '' }
  const stream = (name: keyof typeof written) =>
    new PassThrough().on('data', (chunk) => {
      written[name] += String(chunk)
    })
  const fake = { stdout: stream('stdout'), stderr: stream('stderr'), env: {}, cwd: () => '/' }
  return { io: createIo(fake as unknown as NodeJS.Process), written }
}

describe('what ao writes to a terminal', () => {
  it('contains no control characters of others, whichever way it is written', async () => {
    const { io, written } = openStreams()
    io.print(ATTACK)
    io.printLines([ATTACK, ATTACK])
    io.write(ATTACK)
    io.json({ title: ATTACK })
    io.note(ATTACK)
    io.noteText(ATTACK)
    await io.end()
    expect(written.stdout).not.toMatch(DANGEROUS)
    expect(written.stderr).not.toMatch(DANGEROUS)
    expect(written.stdout.split('\n')[3]).toContain('\\u001b[2J')
    expect(JSON.parse(written.stdout.slice(written.stdout.indexOf('{')))).toEqual({ title: ATTACK })
  })

  it('is one message per line in logs: no text can forge another one', () => {
    const lines: string[] = []
    const log = createLog('info', (line) => lines.push(line))
    log.info(`heard: ${ATTACK}\n2026-01-01T00:00:00Z ao error: forged`, { from: ATTACK })
    expect(lines.join('')).not.toMatch(DANGEROUS)
    expect(lines.join('')).toMatch(/^ao info: heard: a\\u001b.*\n {4}2026-01-01T00:00:00Z ao error: forged.*\n$/)
  })

  it('is written raw only where the sequences are ao’s own', () => {
    const root = join(import.meta.dirname, '..', 'src')
    const raw = /\b(?:writeRaw|noteRaw)\(|process\.(?:stdout|stderr)\.write|console\.\w+\(/
    const found = readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /(?<!\.test)\.ts$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => raw.test(readFileSync(file, 'utf8')))
      .map((file) => relative(root, file))
    expect(found.sort()).toEqual([
      'cli/ao/history/log.ts', // --cast: JSON, in which control characters are escaped
      'cli/ao/history/play.ts', // a recording, without what reaches beyond the screen
      'cli/ao/lists/ask-loop.ts', // from the user's own loop, harmless before
      'cli/ao/pr/diff.ts', // --raw
      'cli/ao/session/attach-here.ts',
      'cli/ao/session/diff.ts', // --raw
      'cli/print/io.ts',
      'cli/print/progress.ts',
      'cli/print/screen.ts',
      'host/program.ts', // the log of the host
      'lib/log.ts', // harmless before
      'plugins/place-connect.ts', // a channel: bytes for ao, not for a terminal
      'plugins/place/far/far-host.ts', // the log of the host
      'plugins/place/far/forward.ts', // what gh or git at home said to the agent
      'plugins/place/far/host-agent.ts', // the log of the host
      'plugins/runtime-tmux/recorder/recorder.ts', // the log of the recorder
      'plugins/terminal-web/index.ts', // the address of the dashboard
    ])
  })
})
