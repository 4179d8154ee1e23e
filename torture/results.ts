// Collects the lines of all campaigns of a run and prints them as one table. With AO_RECORD=1 the lines are kept in
// results.json, and the generated part of docs/reliability.md is written from them; with AO_RECORD=add they are added to what
// is kept there, for campaigns that are played in several runs.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CampaignResult } from './campaign.ts'
import { ROWS } from './rows.ts'

const KEPT = join(import.meta.dirname, 'results.json')
const DOCUMENT = join(import.meta.dirname, '..', 'docs', 'reliability.md')
const [BEGIN, END] = ['<!-- begin generated table -->', '<!-- end generated table -->']

export default function setup(): () => void {
  const directory = mkdtempSync(join(tmpdir(), 'ao-torture-'))
  const file = join(directory, 'results.jsonl')
  process.env.AO_TORTURE_RESULTS = file
  return () => {
    const results = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(parseResult) : []
    rmSync(directory, { recursive: true, force: true })
    console.log(`\n${textTable(results)}`)
    const { AO_RECORD: how } = process.env
    if (how === '1' || how === 'add') record(results, how === 'add')
  }
}

function parseResult(line: string): CampaignResult {
  return JSON.parse(line) as CampaignResult
}

function textTable(results: CampaignResult[]): string {
  const cells = results.map((one) => [one.name, String(one.broken), `${one.seconds} s`, String(one.seed), one.tried])
  const rows = [['campaign', 'broken', 'took', 'seed', 'tried'], ...cells]
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')).join('\n')
}

export function record(results: CampaignResult[], isAdded: boolean): void {
  const kept = existsSync(KEPT) ? (JSON.parse(readFileSync(KEPT, 'utf8')) as CampaignResult[]) : []
  const byName = new Map(kept.map((one) => [one.name, one]))
  for (const result of results) {
    const before = isAdded ? byName.get(result.name) : undefined
    byName.set(result.name, before ? addUp(before, result) : result)
  }
  const all = [...byName.values()].sort((a, b) => a.name.localeCompare(b.name))
  writeFileSync(KEPT, `${JSON.stringify(all, null, 2)}\n`)
  const text = readFileSync(DOCUMENT, 'utf8')
  writeFileSync(DOCUMENT, withTable(text, all))
}

/** Two runs as one: everything that was tried and broken, and the load of the busier one. */
export function addUp(before: CampaignResult, after: CampaignResult): CampaignResult {
  const counts = new Map<string, number>()
  for (const part of [before, after].flatMap(({ tried }) => tried.split(', ').filter(Boolean))) {
    const [count = '0', ...words] = part.split(' ')
    counts.set(words.join(' '), (counts.get(words.join(' ')) ?? 0) + Number(count))
  }
  return {
    ...after,
    tried: [...counts].map(([what, count]) => `${count} ${what}`).join(', '),
    broken: before.broken + after.broken,
    seconds: before.seconds + after.seconds,
    load: before.load === null ? after.load : Math.max(before.load, after.load ?? 0),
    seeds: [...(before.seeds ?? [before.seed]), after.seed],
  }
}

/** The document with its generated part made anew; a test compares it with the document as it is. */
export function withTable(document: string, results: CampaignResult[]): string {
  const [before, after] = [document.indexOf(BEGIN), document.indexOf(END)]
  if (before < 0 || after < before) throw new Error(`docs/reliability.md has lost the line ${BEGIN} or ${END}`)
  return `${document.slice(0, before + BEGIN.length)}\n${faultTable(results)}\n${document.slice(after)}`
}

function faultTable(results: CampaignResult[]): string {
  const lines = ROWS.map(({ fault, campaigns = [], tests = [] }) => {
    const played = campaigns.map((name) => describeResult(name, results)).join('<br>')
    const named = tests.map((file) => `\`${file}\``).join('<br>')
    return `| ${fault} | ${played} | ${named} |`
  })
  return ['| fault | random campaign | in every test run |', '|---|---|---|', ...lines].join('\n')
}

function describeResult(name: string, results: CampaignResult[]): string {
  const result = results.find((one) => one.name === name)
  if (!result) return `**${name}**: not recorded`
  const { tried, broken, seed, seeds, seconds, load } = result
  const played = seeds === undefined ? `seed ${seed}` : `${seeds.length} runs, seeds ${rangesOf(seeds)}`
  const busy = load === null ? '' : seeds === undefined ? `, load ${load}` : `, load up to ${load}`
  return `**${name}**: ${tried}; ${broken} broken (${played}, ${seconds} s${busy})`
}

/** `3 to 5, 9` */
function rangesOf(seeds: readonly number[]): string {
  const ranges: Array<[number, number]> = []
  for (const seed of [...new Set(seeds)].sort((a, b) => a - b)) {
    const last = ranges.at(-1)
    if (last && last[1] === seed - 1) last[1] = seed
    else ranges.push([seed, seed])
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from} to ${to}`)).join(', ')
}
