// A viewer watches an agent's terminal remotely: the current screen, what follows, typing, sizes, floods, the end.
import { Terminal } from '@xterm/headless'
import { afterEach, expect, it } from 'vitest'
import type { RuntimeHandle } from '../../src/contract/session.ts'
import type { TerminalSize } from '../../src/contract/terminal-frames.ts'
import type { LiveTerminal } from '../../src/slots/runtime.ts'
import { waitFor } from '../support/wait-for.ts'
import { processesOf, type RuntimeWorld } from './runtime-world.ts'

interface Viewer {
  terminal: LiveTerminal
  /** What is drawn on the looker's own terminal. */
  screen(): Promise<string>
  cursor(): { x: number; y: number }
  raw(): string
  size(): TerminalSize
  ends: string[]
  bytes(): number
}

export function testTerminal(world: RuntimeWorld): void {
  const open: Viewer[] = []
  afterEach(async () => {
    for (const { terminal } of open.splice(0)) await terminal.close()
  })

  async function openViewer(handle: RuntimeHandle, size?: TerminalSize): Promise<Viewer> {
    const viewer = await viewTerminal(world, handle, size)
    open.push(viewer)
    return viewer
  }

  const shows = (viewer: Viewer, text: string) =>
    waitFor(`the text ${text}`, async () => (await viewer.screen()).includes(text))

  it('shows the screen as it is, with its colours and the cursor', async () => {
    const handle = await world.start(['sh', '-c', "printf '\\033[31mred\\033[0m \\303\\244 plain'; exec sleep 60"])
    await waitFor('the text', async () => (await world.runtime.getOutput(handle)).includes('plain'))
    const viewer = await openViewer(handle)
    await shows(viewer, 'red ä plain')
    expect(viewer.raw()).toContain('\u001b[31mred')
    expect(viewer.cursor()).toEqual({ x: 11, y: 0 })
    expect(viewer.size()).toEqual({ cols: 120, rows: 40 })
  })

  it('shows what the agent prints as it prints it', async () => {
    const tui = await world.startTui()
    const viewer = await openViewer(tui.handle)
    await shows(viewer, 'tui-echo ready')
    await world.runtime.sendMessage(tui.handle, 'while someone looks')
    await shows(viewer, '1 submitted')
  })

  it('loses no byte and repeats none, whenever someone begins to look', async () => {
    const script = 'i=0; while [ $i -lt 400 ]; do echo "line $i."; i=$((i+1)); done; echo over; exec sleep 60'
    const handle = await world.start(['sh', '-c', script], { rows: 30 })
    const viewer = await openViewer(handle)
    await shows(viewer, 'over')
    const numbers = [...(await viewer.screen()).matchAll(/line (\d+)\./g)].map(([, digits]) => Number(digits))
    const first = numbers[0]!
    expect(numbers).toEqual(Array.from({ length: 400 - first }, (_, index) => first + index))
  })

  it('types into the agent, byte by byte as it came', async () => {
    const tui = await world.startTui()
    const viewer = await openViewer(tui.handle)
    viewer.terminal.write(Buffer.from('typed '))
    viewer.terminal.write(Buffer.from('from afar; $HOME "ö"'))
    await shows(viewer, 'typed from afar')
    viewer.terminal.write(Buffer.from('\r'))
    expect(await tui.untilMessages(1)).toEqual(['typed from afar; $HOME "ö"'])
  })

  it('gives the agent the size of who may type, and restores it when they leave', async () => {
    const script = "trap 'stty size' WINCH; stty size; while :; do sleep 0.05; done"
    const handle = await world.start(['sh', '-c', script])
    const sizes = async () =>
      (await world.runtime.getOutput(handle)).split('\n').filter((line) => /^\d+ \d+$/.test(line))
    await waitFor('the first size', async () => (await sizes()).at(-1) === '40 120')
    const reader = await openViewer(handle)
    await shows(reader, '40 120')
    const writer = await openViewer(handle, { cols: 77, rows: 22 })
    await waitFor('the new size', async () => (await sizes()).at(-1) === '22 77')
    await waitFor('that both are told', () => reader.size().cols === 77 && writer.size().rows === 22)
    writer.terminal.resize({ cols: 66, rows: 21 })
    await waitFor('another size', async () => (await sizes()).at(-1) === '21 66')
    await waitFor('that it is known', () => writer.size().cols === 66)
    await writer.terminal.close()
    await waitFor('the size before', async () => (await sizes()).at(-1) === '40 120')
    await waitFor('that who stays is told', () => reader.size().cols === 120)
  })

  it('notifies every viewer once when the agent ends', async () => {
    const tui = await world.startTui()
    const lookers = [await openViewer(tui.handle), await openViewer(tui.handle)]
    for (const viewer of lookers) await shows(viewer, 'tui-echo ready')
    for (const pid of processesOf(tui.handle)) process.kill(pid, 'SIGKILL')
    await waitFor('the news', () => lookers.every(({ ends }) => ends.length > 0))
    expect(lookers.map(({ ends }) => ends)).toEqual([[expect.any(String)], [expect.any(String)]])
  })

  it('continues for one when the other leaves, and for the agent when all have left', async () => {
    const tui = await world.startTui()
    const [stays, leaves] = [await openViewer(tui.handle), await openViewer(tui.handle)]
    await leaves.terminal.close()
    stays.terminal.write(Buffer.from('still here\r'))
    expect(await tui.untilMessages(1)).toEqual(['still here'])
    await shows(stays, '1 submitted')
    await stays.terminal.close()
    expect(await world.runtime.isAlive(tui.handle)).toBe(true)
    const again = await openViewer(tui.handle)
    await shows(again, '1 submitted')
  })

  it('neither delays a flood nor buffers it for a viewer that does not read', { timeout: 120_000 }, async () => {
    const flood = "head -c 50000000 /dev/zero | tr '\\0' x | fold -w 100"
    const handle = await world.start(['sh', '-c', `read go; ${flood}; echo the flood is over; exec sleep 60`])
    const viewer = await openViewer(handle)
    viewer.terminal.write(Buffer.from('go\r'))
    await waitFor('the flood', () => viewer.bytes() > 1_000)
    viewer.terminal.pause()
    const before = process.memoryUsage().rss
    let most = before
    await waitFor(
      'the end of the flood',
      async () => {
        most = Math.max(most, process.memoryUsage().rss)
        return (await world.runtime.getOutput(handle, 5)).includes('the flood is over')
      },
      90_000,
    )
    expect(most - before).toBeLessThan(100 * 1024 * 1024)
    expect(await world.runtime.isAlive(handle)).toBe(true)
    viewer.terminal.resume()
    await shows(viewer, 'the flood is over')
  })

  it('refuses to show a missing session', async () => {
    const tui = await world.startTui()
    await world.runtime.destroy(tui.handle)
    await expect(openViewer(tui.handle)).rejects.toThrow(/cannot be shown/)
  })
}

async function viewTerminal(world: RuntimeWorld, handle: RuntimeHandle, wanted?: TerminalSize): Promise<Viewer> {
  const own = new Terminal({ cols: 120, rows: 40, scrollback: 2_000, allowProposedApi: true })
  let raw = ''
  let bytes = 0
  let size = { cols: 0, rows: 0 }
  const ends: string[] = []
  const terminal = await world.runtime.openTerminal!(handle, {
    ...(wanted ? { size: wanted } : {}),
    onData(data) {
      bytes += data.length
      raw = (raw + Buffer.from(data).toString()).slice(-100_000)
      own.write(data)
    },
    onSize(now) {
      size = now
      own.resize(now.cols, now.rows)
    },
    onEnd: (why) => ends.push(why),
  })
  size = terminal.size
  own.resize(size.cols, size.rows)
  const screen = async () => {
    await new Promise<void>((resolve) => own.write('', resolve))
    const { active } = own.buffer
    return Array.from({ length: active.length }, (_, row) => active.getLine(row)?.translateToString(true) ?? '').join(
      '\n',
    )
  }
  const cursor = () => ({ x: own.buffer.active.cursorX, y: own.buffer.active.cursorY })
  return { terminal, screen, cursor, raw: () => raw, size: () => size, ends, bytes: () => bytes }
}
