// The text of a configuration without its literal secrets, for showing what a change does to it.
import { isMap, isScalar, isSeq } from 'yaml'
import type { KeyPath } from '../../core/config/key-path.ts'
import { HIDDEN, isHarmless, isSecretPath } from '../../core/config/secret-path.ts'
import { redact } from '../../core/text/redact.ts'
import { readDocument } from '../validate-config.ts'

interface Secret {
  key: string
  value: unknown
  start: number
  end: number
}

/** `before`: a secret that differs from the one there is marked as new. */
export function hideText(text: string, before?: string): string {
  const secrets = new Map(before === undefined ? [] : secretsIn(before).map(({ key, value }) => [key, value]))
  const shown = secretsIn(text).reduceRight((rest, { key, value, start, end }) => {
    const word = before === undefined || secrets.get(key) === value ? HIDDEN : '[hidden, new]'
    return `${rest.slice(0, start)}${word}${rest.slice(end)}`
  }, text)
  return shown.replaceAll(/(?:^|\s)#.*$/gm, (comment) => redact(comment))
}

/** In the order of the text. */
function secretsIn(text: string): Secret[] {
  const secrets: Secret[] = []
  const walk = (node: unknown, path: KeyPath) => {
    if (isMap(node))
      for (const { key, value } of node.items) walk(value, [...path, isScalar(key) ? String(key.value) : ''])
    else if (isSeq(node)) for (const [index, item] of node.items.entries()) walk(item, [...path, index])
    else if (isScalar(node) && node.range && isSecretPath(path) && !isHarmless(node.value))
      secrets.push({ key: JSON.stringify(path), value: node.value, start: node.range[0], end: node.range[1] })
  }
  walk(readDocument(text).contents, [])
  return secrets.sort((a, b) => a.start - b.start)
}
