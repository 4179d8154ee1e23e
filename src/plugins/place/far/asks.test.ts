import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { duplexPair } from 'node:stream'
import { expect, it, vi } from 'vitest'
import { createAsks } from './asks.ts'
import { openFactsLog } from './facts-log.ts'
import { forward } from './forward.ts'

it('home takes a command, and only then gets what the command had read before', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'asks-'))
  const log = openFactsLog(join(directory, 'facts.jsonl'))
  const asks = createAsks(log)
  const [command, client] = duplexPair()
  asks.begin(client)
  command.write('{"tool":"push","argv":[],"cwd":"/"}\n{"data":"b25l"}\n{"end":true}\n')
  await new Promise((resolve) => setImmediate(resolve))
  const [fact] = log.after(0)
  const id = fact?.type === 'ask' ? fact.id : ''
  const [far, home] = duplexPair()
  const order: string[] = []
  const write = far.write.bind(far)
  far.write = ((chunk: string) => {
    order.push(`wrote ${chunk.trim()}`)
    return write(chunk)
  }) as typeof far.write
  // Writing to a stream of HTTP/2 before its headers are sent sends them, and sending them again ends it.
  expect(asks.take(id, far, () => order.push('accepted'))).toBe(true)
  expect(order).toEqual(['accepted', 'wrote {"data":"b25l"}', 'wrote {"end":true}'])
  expect(asks.take(id, far, () => order.push('twice'))).toBe(false)
  expect(order).not.toContain('twice')
  home.write('{"exit":0}\n')
  await new Promise((resolve) => setImmediate(resolve))
  expect(String(command.read())).toBe('{"exit":0}\n')
  log.close()
  rmSync(directory, { recursive: true, force: true })
})

it('a command that an earlier line noted and never took is cut off; one that a line is about to read waits', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'asks-'))
  const log = openFactsLog(join(directory, 'facts.jsonl'))
  const asks = createAsks(log)
  const begin = async () => {
    const [command, client] = duplexPair()
    asks.begin(client)
    let isCutOff = false
    command.on('end', () => {
      isCutOff = true
    })
    command.resume()
    command.write('{"tool":"gh","argv":[],"cwd":"/"}\n')
    await new Promise((resolve) => setImmediate(resolve))
    return () => isCutOff
  }
  const first = await begin()
  const second = await begin()
  asks.abandon(1)
  await new Promise((resolve) => setImmediate(resolve))
  expect([first(), second()]).toEqual([true, false])
  log.close()
  rmSync(directory, { recursive: true, force: true })
})

it('a text in a file that is not there is one line, and home hears nothing of it', async () => {
  const shown = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  expect(await forward('/nowhere/socket', 'gh', ['pr', 'comment', '1', '--body-file', '/nowhere/text'])).toBe(1)
  expect(shown.mock.calls).toEqual([[expect.stringMatching(/^ao: the file with the text could not be read: .*text/)]])
  shown.mockRestore()
})
