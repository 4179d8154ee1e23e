// Lists requirements of the contract that no test cites. For people: it always ends with 0.
//   node scripts/contract-coverage.mjs S1 S2      sections, S0 to S3 by default
//   AO_CONTRACT=path/to/contract.md               where the numbered requirements are
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const CONTRACT = process.env.AO_CONTRACT ?? join(ROOT, '../shared/contract.md')

if (!existsSync(CONTRACT)) {
  console.log(`contract-coverage: ${CONTRACT} is not here; nothing to compare with`)
  process.exit(0)
}

const sections = process.argv.slice(2).length > 0 ? process.argv.slice(2) : ['S0', 'S1', 'S2', 'S3']
const requirements = readRequirements()
const cited = citedIds()

for (const section of sections) {
  const all = requirements.filter(({ id }) => id.startsWith(`${section}.`))
  const open = all.filter(({ id }) => !cited.has(id))
  console.log(`${section}: ${all.length - open.length} of ${all.length} cited`)
  for (const { id, text } of open) console.log(`  ${id} ${text}`)
}

const known = new Set(requirements.map(({ id }) => id))
const unknown = [...cited].filter((id) => !known.has(id))
if (unknown.length > 0) console.log(`cited, but not in the contract: ${unknown.join(' ')}`)

function readRequirements() {
  const lines = readFileSync(CONTRACT, 'utf8').matchAll(/^- (S\d\.\d+) (.*)$/gm)
  return [...lines].map(([, id, text]) => ({ id, text }))
}

/** `S1.93`, and ranges as `S1.93-S1.95` or `S1.93–S1.95`. */
function citedIds() {
  const ids = new Set()
  for (const text of testTexts()) {
    for (const [, section, from, to] of text.matchAll(/\b(S\d)\.(\d+)(?:\s?[-–]\s?\1\.(\d+))?/g)) {
      for (let number = Number(from); number <= Number(to ?? from); number++) ids.add(`${section}.${number}`)
    }
  }
  return ids
}

function testTexts() {
  return ['src', 'test'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.test.ts') || /-suite\.ts$/.test(path))
      .map((path) => readFileSync(join(ROOT, folder, path), 'utf8')),
  )
}
