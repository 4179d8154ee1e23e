// Both sides' entries of a JSON file, such as the dependencies in package.json: lines would leave a comma too few. A value that both
// sides changed differently needs somebody. Pure.

type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** null: it is not valid JSON, not written as programs write it, or both sides changed the same value. */
export function uniteJson(common: string | null, ours: string, theirs: string): string | null {
  const own = read(ours)
  const other = read(theirs)
  const base = common === null ? undefined : read(common)
  if (own === null || other === null || base === null) return null
  const merged = merge(base?.value, own.value, other.value)
  return merged.kind === 'apart' || merged.value === undefined ? null : own.write(merged.value)
}

interface Written {
  value: Json
  write(value: Json): string
}

/** null: writing it again would lose something, such as a key that is there twice, or its layout. */
function read(text: string): Written | null {
  const indent = /^[[{]\r?\n([ \t]+)/.exec(text)?.[1] ?? ''
  const end = text.slice(text.trimEnd().length)
  const write = (value: Json) => JSON.stringify(value, null, indent) + end
  try {
    const value = JSON.parse(text) as Json
    return write(value) === text ? { value, write } : null
  } catch {
    return null
  }
}

type Merged = { kind: 'value'; value: Json | undefined } | { kind: 'apart' }

const APART: Merged = { kind: 'apart' }

function merge(base: Json | undefined, ours: Json | undefined, theirs: Json | undefined): Merged {
  const [b, o, t] = [base, ours, theirs].map((one) => JSON.stringify(one))
  if (o === t || t === b) return { kind: 'value', value: ours }
  if (o === b) return { kind: 'value', value: theirs }
  if (isList(ours) && isList(theirs) && isList(base)) return mergeLists(base, ours, theirs)
  if (isObject(ours) && isObject(theirs) && (base === undefined || isObject(base)))
    return mergeObjects(base ?? {}, ours, theirs)
  return APART
}

function mergeObjects(base: object, ours: object, theirs: object): Merged {
  const [b, o, t] = [base, ours, theirs].map((one) => new Map<string, Json>(Object.entries(one)))
  const keys = [...new Set([...o!.keys(), ...t!.keys()])]
  const isSorted = [o!, t!].every((one) => isInOrder([...one.keys()]))
  const entries: Array<[string, Json]> = []
  for (const key of isSorted ? keys.sort() : keys) {
    const merged = merge(b!.get(key), o!.get(key), t!.get(key))
    if (merged.kind === 'apart') return APART
    if (merged.value !== undefined) entries.push([key, merged.value])
  }
  return { kind: 'value', value: Object.fromEntries(entries) }
}

/** Both sides only appended. */
function mergeLists(base: Json[], ours: Json[], theirs: Json[]): Merged {
  const startsAlike = [ours, theirs].every(
    (list) => JSON.stringify(list.slice(0, base.length)) === JSON.stringify(base),
  )
  if (!startsAlike) return APART
  const added = new Set(ours.slice(base.length).map((one) => JSON.stringify(one)))
  const more = theirs.slice(base.length).filter((one) => !added.has(JSON.stringify(one)))
  return { kind: 'value', value: [...ours, ...more] }
}

function isInOrder(keys: readonly string[]): boolean {
  return keys.every((key, index) => index === 0 || keys[index - 1]! < key)
}

function isList(value: Json | undefined): value is Json[] {
  return Array.isArray(value)
}

function isObject(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !isList(value)
}
