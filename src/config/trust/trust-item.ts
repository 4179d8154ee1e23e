// One item of consent: what a person reads, and a hash of its exact content.
import { createHash } from 'node:crypto'
import type { ConsentKind } from '../../contract/config/consent.ts'
import { showHidden } from '../../core/text/show-hidden.ts'

export interface TrustItem {
  kind: ConsentKind
  /** undefined: it concerns every project of the configuration. */
  project?: string | undefined
  configPath: string
  /** The key in the configuration, or the file in the repository. */
  at: readonly string[]
  /** What a person reads before consenting, on one line. */
  what: string
  /** The whole content, line by line, where one line is not enough. */
  lines?: string[] | undefined
  hash: string
}

/** Keys of one section of a configuration that are consented to together. */
export interface FindingGroup {
  kind: ConsentKind
  /** The path of that section. */
  at: readonly string[]
  values: Record<string, unknown>
}

export interface ItemContent extends Omit<TrustItem, 'hash'> {
  content: readonly string[]
}

export function makeItem({ content, ...rest }: ItemContent): TrustItem {
  const { kind, project = null, configPath } = rest
  const hash = createHash('sha256')
    .update(JSON.stringify([kind, project, configPath, content]))
    .digest('hex')
  return { ...rest, lines: rest.lines?.map(showHidden), what: showHidden(rest.what), hash }
}
