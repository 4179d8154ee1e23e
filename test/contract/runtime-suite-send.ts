// A message arrives whole, once and submitted, whatever it contains and whatever the agent is doing.
import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { waitFor } from '../support/wait-for.ts'
import { type RuntimeWorld, untilDead } from './runtime-world.ts'

const TEXTS: ReadonlyArray<readonly [what: string, text: string]> = [
  ['backticks', 'CI is failing. Run `gh pr checks` to see failures and fix them.'],
  ['a key name', 'C-c'],
  ['another key name', 'Enter'],
  ['a semicolon at the end', 'do this;'],
  ['only a semicolon', ';'],
  ['an option', '-t other --help'],
  ['quotes and dollars', `it's "quoted" $HOME $(touch canary) \\ \\n #{pane_id} %1 ~ !`],
  ['several lines', 'first\nsecond\n\n\n\tindented\nlast'],
  ['a newline at the end', 'one\ntwo\n'],
  ['many alphabets', 'grüße 漢字 😀 עברית \u3000 e\u0301'],
  ['only spaces', '   '],
]

export function testSend(world: RuntimeWorld): void {
  it('S2.79 S2.80 S2.83 enters each text as one message, byte for byte', async () => {
    const tui = await world.startTui()
    for (const [, text] of TEXTS) await world.runtime.sendMessage(tui.handle, text)
    expect(await tui.untilMessages(TEXTS.length)).toEqual(TEXTS.map(([, text]) => text))
  })

  it('S2.83 keeps a text from leaving its paste', async () => {
    const tui = await world.startTui()
    await world.runtime.sendMessage(tui.handle, 'before\u001b[201~\rrm -rf important\u0003\u0000after\r\nend')
    expect(await tui.untilMessages(1)).toEqual(['before[201~\nrm -rf importantafter\nend'])
  })

  it('S2.83 hands over 100 KB of lines whole', async () => {
    const tui = await world.startTui()
    const text = Array.from({ length: 1_300 }, (_, n) => `${n}: ${randomBytes(36).toString('base64')} é\t;`).join('\n')
    expect(Buffer.byteLength(text)).toBeGreaterThan(70_000)
    await world.runtime.sendMessage(tui.handle, text.repeat(2).slice(0, 100_000))
    expect(await tui.untilMessages(1)).toEqual([text.repeat(2).slice(0, 100_000)])
  })

  it.each([
    ['whose screen never rests', ['--spinner']],
    ['that takes an early Enter for pasted text', ['--swallow=250']],
    ['that draws late', ['--slow=400']],
    ['that is busy', ['--busy=300']],
    ['that is busy and draws late', ['--busy=200', '--slow=300', '--swallow=150']],
  ])('F28 reaches an agent %s', async (_what, flags) => {
    const tui = await world.startTui(flags)
    await world.runtime.sendMessage(tui.handle, 'first line\nsecond line')
    await world.runtime.sendMessage(tui.handle, 'next')
    expect(await tui.untilMessages(2)).toEqual(['first line\nsecond line', 'next'])
  })

  it.each([61_000, 600_000])('hands over %i bytes to an agent that draws before it reads on', async (length) => {
    const tui = await world.startTui(['--loud=65536'])
    const text = 'a line of this message, and the next\n'.repeat(length / 37 + 1).slice(0, length)
    await world.runtime.sendMessage(tui.handle, text)
    const [message = ''] = await tui.untilMessages(1)
    expect(message.length).toBe(length)
    expect(message === text).toBe(true)
  })

  it('F28 reaches an agent that knows no bracketed paste', async () => {
    const tui = await world.startTui(['--no-brackets'])
    await world.runtime.sendMessage(tui.handle, 'first line\nsecond line')
    expect(await tui.untilMessages(1)).toEqual(['first line\nsecond line'])
  })

  it('S2.84 reaches a program that reads lines', async () => {
    const handle = await world.start(['sh', '-c', 'echo up; while read -r line; do echo "got <$line>"; done'])
    await waitFor('the program', async () => (await world.runtime.getOutput(handle)).includes('up'))
    await world.runtime.sendMessage(handle, 'one `two`')
    await waitFor('the line', async () => (await world.runtime.getOutput(handle)).includes('got <one `two`>'))
  })

  it('refuses a line that a program which reads lines would get cut', async () => {
    if (world.runtime.events) return
    const handle = await world.start(['sh', '-c', 'echo up; while read -r line; do echo "got ${#line}"; done'])
    await waitFor('the program', async () => (await world.runtime.getOutput(handle)).includes('up'))
    await expect(world.runtime.sendMessage(handle, 'x'.repeat(4_096))).rejects.toMatchObject({
      code: 'MESSAGE_REFUSED',
      message: expect.stringContaining('4095 bytes; the longest one has 4096'),
    })
    await world.runtime.sendMessage(handle, 'x'.repeat(4_095))
    await waitFor('the line', async () => (await world.runtime.getOutput(handle)).includes('got 4095'))
    expect(await world.runtime.getOutput(handle)).not.toContain('got 4096')
  })

  it('F28 keeps messages apart that are sent at the same time', async () => {
    const tui = await world.startTui()
    const texts = ['alpha\nalpha', 'beta\nbeta', 'gamma\ngamma', 'delta\ndelta']
    await Promise.all(texts.map((text) => world.runtime.sendMessage(tui.handle, text)))
    expect((await tui.untilMessages(texts.length)).toSorted()).toEqual(texts.toSorted())
  })

  it('S2.81 fails for an agent that has ended, and harms no other session', async () => {
    const other = await world.startTui()
    const handle = await world.start(['sh', '-c', 'exit 0'])
    await untilDead(world.runtime, handle)
    await expect(world.runtime.sendMessage(handle, 'too late')).rejects.toMatchObject({ code: 'RUNTIME_FAILED' })
    await world.runtime.destroy(handle)
    await expect(world.runtime.sendMessage(handle, 'far too late')).rejects.toMatchObject({ code: 'RUNTIME_FAILED' })
    await world.runtime.sendMessage(other.handle, 'still here')
    expect(await other.untilMessages(1)).toEqual(['still here'])
  })

  it('S2.79 refuses a message without text', async () => {
    const tui = await world.startTui()
    await expect(world.runtime.sendMessage(tui.handle, '\u001b')).rejects.toMatchObject({ code: 'USAGE' })
    expect(tui.messages()).toEqual([])
  })
}
