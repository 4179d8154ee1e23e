// Collects the lines of all campaigns of a run and prints them as one table. With AO_RECORD=1 the lines are kept in
// results.json, and the generated part of docs/reliability.md is written from them.
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
    if (process.env.AO_RECORD === '1') record(results)
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

function record(results: CampaignResult[]): void {
  const kept = existsSync(KEPT) ? (JSON.parse(readFileSync(KEPT, 'utf8')) as CampaignResult[]) : []
  const fresh = new Set(results.map(({ name }) => name))
  const all = [...kept.filter(({ name }) => !fresh.has(name)), ...results]
  all.sort((a, b) => a.name.localeCompare(b.name))
  writeFileSync(KEPT, `${JSON.stringify(all, null, 2)}\n`)
  const text = readFileSync(DOCUMENT, 'utf8')
  writeFileSync(DOCUMENT, withTable(text, all))
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
  const { tried, broken, seed, seconds, load } = result
  return `**${name}**: ${tried}; ${broken} broken (seed ${seed}, ${seconds} s${load === null ? '' : `, load ${load}`})`
}
