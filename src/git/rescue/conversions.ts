// Which files git stores in a different form than on disk: through filters, line endings, encodings and keywords.
import { type Checkout, gitLines, tryGitIn } from '../workspace/checkout.ts'

/**
 * `in`: git may store less than the file contains, and a checkout changes nothing. `both ways`: a checkout changes it, too.
 * `lfs`: the content is elsewhere, under its hash.
 */
export type Conversion = 'in' | 'both ways' | 'lfs'

interface Settings {
  /** Names of filters that change what is checked out. */
  smudging: Set<string>
  crlf: boolean
  /** `core.autocrlf`, which also applies where no attribute is set. */
  auto: boolean
}

const ATTRIBUTES = ['filter', 'text', 'eol', 'ident', 'working-tree-encoding']

/** By path as git prints it; files that are not in the map are stored verbatim. */
export async function findConversions(checkout: Checkout, paths: string[]): Promise<Map<string, Conversion>> {
  if (paths.length === 0) return new Map()
  const settings = await readSettings(checkout)
  const input = paths.map((path) => `${path}\n`).join('')
  const lines = await gitLines(checkout, ['check-attr', '--stdin', ...ATTRIBUTES], { read: true, input })
  const attributes = new Map<string, Record<string, string>>()
  for (const line of lines) {
    const [, path, name, value] = /^(.*): ([a-z-]{1,40}): ([\s\S]*)$/.exec(line) ?? []
    if (path === undefined || name === undefined || value === undefined) throw new Error(`Unknown line: ${line}`)
    attributes.set(path, { ...attributes.get(path), [name]: value })
  }
  return new Map([...attributes].flatMap(([path, one]) => withConversion(path, one, settings)))
}

function withConversion(
  path: string,
  attributes: Record<string, string>,
  settings: Settings,
): Array<[string, Conversion]> {
  const conversion = conversionOf(attributes, settings)
  return conversion === null ? [] : [[path, conversion]]
}

function conversionOf(attributes: Record<string, string>, { smudging, crlf, auto }: Settings): Conversion | null {
  const says = (name: string) => {
    const value = attributes[name] ?? 'unspecified'
    return value === 'unspecified' || value === 'unset' ? null : value
  }
  const filter = says('filter')
  if (filter === 'lfs') return 'lfs'
  if ((filter !== null && smudging.has(filter)) || says('ident') || says('working-tree-encoding')) return 'both ways'
  const isText = says('text') !== null || says('eol') !== null || (auto && attributes.text !== 'unset')
  if (isText && (says('eol') === 'crlf' || (crlf && says('eol') === null))) return 'both ways'
  return isText || filter !== null ? 'in' : null
}

async function readSettings(checkout: Checkout): Promise<Settings> {
  const wanted = '^(filter\\..*\\.(smudge|process)|core\\.(autocrlf|eol))$'
  // Exit code 1: there is no such setting.
  const { stdout } = await tryGitIn(checkout, ['config', '--get-regexp', wanted], { read: true })
  const settings = stdout.split('\n').map((line) => {
    const at = line.indexOf(' ')
    return { key: line.slice(0, at), value: line.slice(at + 1) }
  })
  const filters = settings.filter(({ key, value }) => key.startsWith('filter.') && value !== 'cat')
  const last = (key: string) => settings.findLast((one) => one.key === key)?.value.toLowerCase()
  const autocrlf = last('core.autocrlf') ?? 'false'
  return {
    smudging: new Set(filters.map(({ key }) => key.slice('filter.'.length, key.lastIndexOf('.')))),
    crlf: autocrlf === 'true' || last('core.eol') === 'crlf',
    auto: autocrlf !== 'false',
  }
}
