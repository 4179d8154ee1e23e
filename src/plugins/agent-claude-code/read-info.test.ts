import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { silentLog } from '../../lib/log.ts'
import { openFoldCache } from '../agent-files/fold-cache.ts'
import { readInfo } from './read-info.ts'

const ID = '11111111-2222-4333-8444-555555555555'

let directory: string
let path: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'aot-info-'))
  path = join(directory, `${ID}.jsonl`)
})
afterEach(() => rmSync(directory, { recursive: true }))

const usage = (input: number, output: number, read = 0, write = 0, long = 0) => ({
  input_tokens: input,
  output_tokens: output,
  cache_read_input_tokens: read,
  cache_creation_input_tokens: write,
  cache_creation: { ephemeral_1h_input_tokens: long },
})
const answerRecord = (id: string, tokens: object, more: object = {}, model = 'claude-opus-5-5') => ({
  type: 'assistant',
  sessionId: ID,
  ...more,
  message: { id, model, role: 'assistant', usage: tokens, content: [{ type: 'text', text: `said ${id}` }] },
})
const promptRecord = (content: unknown, more: object = {}) => ({
  type: 'user',
  sessionId: ID,
  ...more,
  message: { role: 'user', content },
})
const write = (file: string, records: object[]) =>
  writeFileSync(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''))

async function info() {
  const cache = await openFoldCache(join(directory, 'cache.json'), silentLog)
  const found = await readInfo([{ path, sessionId: ID, modifiedAt: new Date() }], cache, {})
  await cache.save()
  return found
}

describe('what a transcript says about a session', () => {
  it('counts a message once though streaming repeats it, with the last word on its tokens', async () => {
    write(path, [
      answerRecord('m1', usage(100, 1)),
      answerRecord('m1', usage(100, 1)),
      answerRecord('m2', usage(5, 5)),
      answerRecord('m1', usage(100, 40)),
    ])
    expect((await info())?.cost).toMatchObject({ inputTokens: 105, outputTokens: 45 })
  })

  it('counts both caches, the one for an hour at its own price', async () => {
    write(path, [answerRecord('m1', usage(0, 0, 1_000_000, 2_000_000, 1_000_000))])
    const cost = (await info())?.cost
    expect(cost).toMatchObject({ cacheReadTokens: 1_000_000, cacheWriteTokens: 2_000_000 })
    expect(cost?.estimatedCostUsd).toBeCloseTo(0.2 + 5 + 8)
  })

  it('counts sub-agents once: in files of their own, or in the transcript of older versions', async () => {
    const side = answerRecord('s1', usage(10, 1), { isSidechain: true })
    write(path, [answerRecord('m1', usage(100, 10)), side])
    expect((await info())?.cost).toMatchObject({ inputTokens: 110 })
    mkdirSync(join(directory, ID, 'subagents'), { recursive: true })
    write(join(directory, ID, 'subagents', 'agent-1.jsonl'), [
      side,
      answerRecord('s2', usage(7, 1), { isSidechain: true }),
    ])
    expect((await info())?.cost).toMatchObject({ inputTokens: 117 })
  })

  it('counts files of sub-agents next to the transcript only when they are its own', async () => {
    write(path, [answerRecord('m1', usage(100, 10))])
    write(join(directory, 'agent-a.jsonl'), [answerRecord('s1', usage(10, 1), { isSidechain: true })])
    write(join(directory, 'agent-b.jsonl'), [
      answerRecord('s2', usage(50, 1), { isSidechain: true, sessionId: 'another' }),
    ])
    expect((await info())?.cost).toMatchObject({ inputTokens: 110 })
  })

  it('has no cost for a model without a price, unless Claude itself counted all its tokens', async () => {
    write(path, [answerRecord('m1', usage(100, 10), {}, 'claude-next')])
    expect((await info())?.cost).toMatchObject({ inputTokens: 100, estimatedCostUsd: null })
    const own = (inputTokens: number) => ({
      type: 'cost-state',
      modelUsage: { 'claude-next': { inputTokens, outputTokens: 10, costUSD: 0.5 } },
    })
    write(path, [answerRecord('m1', usage(100, 10), {}, 'claude-next'), own(99)])
    expect((await info())?.cost?.estimatedCostUsd).toBeNull()
    write(path, [answerRecord('m1', usage(100, 10), {}, 'claude-next'), own(120)])
    expect((await info())?.cost?.estimatedCostUsd).toBe(0.5)
  })

  it('is called by its task, not by the description of the worktree before it', async () => {
    write(path, [promptRecord('You work on shop in a git worktree of your own.\n\n## Task\n\nWork on: make it blue')])
    expect(await info()).toMatchObject({ summaryIsFallback: true, summary: 'make it blue' })
    // Nor after a restore, when it has called itself so.
    const title = {
      type: 'summary',
      summary: 'You work on shop in a git worktree of your own, on branch session/shop-1',
    }
    write(path, [promptRecord('## Task\n\nmake it blue'), title])
    expect(await info()).toMatchObject({ summaryIsFallback: true, summary: 'make it blue' })
  })

  it('uses the title a person gave, else the last one written, else the first prompt', async () => {
    const prompts = [
      promptRecord('<local-command-stdout>x</local-command-stdout>'),
      promptRecord('caveat', { isMeta: true }),
      promptRecord([{ type: 'text', text: `fix ${'it '.repeat(200)}` }]),
      promptRecord('second'),
    ]
    write(path, prompts)
    expect(await info()).toMatchObject({
      summaryIsFallback: true,
      summary: `fix ${'it '.repeat(200)}`.slice(0, 120).trim(),
    })
    const titles = [
      { type: 'summary', summary: 'One' },
      { type: 'ai-title', aiTitle: 'Two' },
    ]
    write(path, [...prompts, ...titles])
    expect(await info()).toMatchObject({ summary: 'Two' })
    expect((await info())?.summaryIsFallback).toBeUndefined()
    write(path, [...prompts, { type: 'custom-title', customTitle: 'Mine' }, ...titles])
    expect(await info()).toMatchObject({ summary: 'Mine' })
  })

  it('does not take an API error for a model', async () => {
    write(path, [
      answerRecord('m1', usage(1, 1)),
      answerRecord('e1', usage(0, 0), { isApiErrorMessage: true }, '<synthetic>'),
    ])
    expect(await info()).toMatchObject({ model: 'claude-opus-5-5', lastMessage: 'said e1' })
  })
})
