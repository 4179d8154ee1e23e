// `gh label list|create|edit|delete`.

import type { Io } from '../cli/print/io.ts'
import { toOneLine } from '../cli/print/plain-text.ts'
import { describeLabel as checkLabel } from '../forge/label-store.ts'
import { sameName } from '../forge/pulls/name-list.ts'
import { createLabel, deleteLabel, editLabel, listLabels } from './change-label.ts'
import { LABEL_JSON } from './describe/json-tables.ts'
import { describeLabel, webUrl } from './describe/names.ts'
import { tabulate } from './describe/node.ts'
import { GhError } from './gh-error.ts'
import { NO_WEB, oneOf, parseFlags, positiveNumber } from './gh-flags.ts'
import { JSON_FLAGS, printJson, wantedFields } from './gh-json.ts'
import { openGh } from './open-gh.ts'

const DETAILS = { color: { short: 'c', value: true }, description: { short: 'd', value: true } } as const

export async function labelList(argv: readonly string[], io: Io): Promise<number> {
  const flags = {
    ...JSON_FLAGS,
    ...NO_WEB,
    limit: { short: 'L', value: true },
    search: { short: 'S', value: true },
    order: { value: true },
    sort: { value: true },
  } as const
  const args = parseFlags(argv, flags, { most: 0 })
  const fields = wantedFields(args, LABEL_JSON)
  const order = oneOf(args.value('order') ?? 'asc', ['asc', 'desc'], '--order')
  const sort = oneOf(args.value('sort') ?? 'created', ['created', 'name'], '--sort')
  const limit = positiveNumber(args.value('limit'), 30, '--limit')
  const gh = await openGh(io, args)
  const word = (args.value('search') ?? '').toLowerCase()
  const found = (await listLabels(gh)).filter(({ name, description }) =>
    `${name}\n${description}`.toLowerCase().includes(word),
  )
  if (sort === 'name') found.sort((a, b) => (sameName(a.name) < sameName(b.name) ? -1 : 1))
  if (order === 'desc') found.reverse()
  const labels = found.slice(0, limit)
  if (fields !== null) {
    const page = `${webUrl(gh)}/issues`
    const rows = labels.map((one) => tabulate({ ...describeLabel(gh, one), page }, LABEL_JSON, gh, fields))
    await printJson(await Promise.all(rows), args, io)
    return 0
  }
  for (const { name, description, color } of labels)
    io.print(`${toOneLine(name)}\t${toOneLine(description)}\t#${color}`)
  return 0
}

export async function labelCreate(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(argv, { ...DETAILS, force: { short: 'f' } })
  const label = checkLabel({ name: requireName(args.positionals), ...detailsOf(args) })
  const gh = await openGh(io, args)
  gh.claim()
  await createLabel(gh, label, { force: args.has('force') })
  io.note(`✓ Label "${label.name}" created in ${gh.repo}`)
  return 0
}

export async function labelEdit(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(argv, { ...DETAILS, name: { short: 'n', value: true } })
  const change = { ...detailsOf(args), name: args.value('name') }
  if (Object.values(change).every((value) => value === undefined))
    throw new GhError('specify at least one of `--color`, `--description`, or `--name`')
  const gh = await openGh(io, args)
  const label = await editLabel(gh, requireName(args.positionals), change)
  io.note(`✓ Label "${label.name}" updated in ${gh.repo}`)
  return 0
}

export async function labelDelete(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(argv, { yes: {}, confirm: {} })
  const name = requireName(args.positionals)
  if (!args.has('yes') && !args.has('confirm')) throw new GhError('--yes required when not running interactively')
  const gh = await openGh(io, args)
  await deleteLabel(gh, name)
  io.note(`✓ Label "${name}" deleted from ${gh.repo}`)
  return 0
}

function detailsOf(args: { value(name: 'color' | 'description'): string | undefined }) {
  return { color: args.value('color'), description: args.value('description') }
}

function requireName([name]: readonly string[]): string {
  if (name !== undefined) return name
  throw new GhError('cannot use label: name argument required')
}
