// `ao __docs configuration`: prints docs/configuration.md from the schema.
import { VARIABLE_KEYS } from '../../../config/resolve-config.ts'

interface SchemaNode {
  type?: string | string[]
  description?: string
  default?: unknown
  enum?: unknown[]
  properties?: Record<string, SchemaNode>
  additionalProperties?: boolean | SchemaNode
  items?: SchemaNode
  anyOf?: SchemaNode[]
  required?: string[]
}

export function renderConfiguration(schema: Record<string, unknown>): string {
  const root = schema as SchemaNode
  const project = root.properties?.projects?.additionalProperties
  const sections = [
    INTRODUCTION,
    '## The file',
    listWithGroups(root),
    '## projects.<id>',
    typeof project === 'object' ? listWithGroups(project) : '',
    ...nested(root, '', ['projects']),
    ...(typeof project === 'object' ? nested(project, 'projects.<id>.', ['reactions']) : []),
  ]
  return `${sections.filter(Boolean).join('\n\n')}\n`
}

const INTRODUCTION = `# Configuration

<!-- Written by \`ao __docs configuration\` from the keys declared in src/contract/config; a test keeps it up to date. -->

For writing \`agent-orchestrator.yaml\`: where it is read from, and every key. \`ao init\` writes a first one, \`ao config validate\` checks it,
\`ao config show --origin\` prints what is in effect and from where, \`ao config schema\` prints the JSON Schema for editors.

## Layers

The file is found by walking up from the current directory; in a linked worktree that of the main checkout counts. \`AO_CONFIG_PATH\` or
\`--config\` names another one. Later layers win: defaults, your own file, the repository's file, some environment variables.

Your own file is \`~/.config/agent-orchestrator/config.yaml\` (below \`$XDG_CONFIG_HOME\` or \`AO_HOME\` where they are set; \`AO_GLOBAL_CONFIG\`
names another one). It needs no consent and may leave out \`projects\`. Without a repository's file it is the configuration.

Where both files have a key:

- \`projects\`, \`$schema\`: the repository's file alone counts.
- \`dashboard\`, \`lifecycle\`, \`defaults\` and what is in it, \`notificationRouting\`, each of \`reactions\`: key by key.
- \`plugins.<slot>\`, \`notifiers.<name>\`, \`webhooks.<plugin>\`, \`accounts.<name>\`: one or the other as a whole.
- \`defaults.environment.deny\`, \`plugins.external\`: both lists, yours first.
- Everything else: the repository's value.

**Your own safety is yours to decide.** Where a value needs [consent](trust.md) and both files have that key, your value stays. Your
\`defaults.worker.agentConfig.permissions\` and \`defaults.environment.allow\` also limit \`projects\`: a repository may make agents ask
more often and get fewer variables, not the other way round. To let one repository do more, remove the key from your file and agree to the
repository's with \`ao config trust\`.

Environment variables: ${VARIABLE_KEYS.map(({ variable, path }) => `\`${variable}\` (\`${path.join('.')}\`)`).join(', ')}. A project's own \`agent\`
or \`runtime\` is more specific than \`defaults\`, wherever that was set.

## Values

\`\${NAME}\` and \`\${NAME:-default}\` are replaced from the environment; \`$\${\` stands for itself. Durations are a number
with \`s\`, \`m\` or \`h\`. Choose a \`sessionPrefix\` of 2 to 4 characters that describes the project (\`app\`, \`api\`, \`web\`) and is not
the name of a common command.`

function nested(node: SchemaNode, prefix: string, except: string[]): string[] {
  return Object.entries(node.properties ?? {}).flatMap(([name, child]) => {
    if (except.includes(name)) return []
    const inner = objectOf(child)
    return inner ? [`## ${prefix}${name}`, child.description ?? '', listKeys(inner)] : []
  })
}

/** The object under a key: the key's own, or that of each of its entries. */
function objectOf(node: SchemaNode): SchemaNode | null {
  if (node.properties && Object.keys(node.properties).length > 0) return node
  if (typeof node.additionalProperties === 'object' && node.additionalProperties.properties)
    return node.additionalProperties
  return null
}

/** Keys that have sections of their own are only named. */
function listWithGroups(node: SchemaNode): string {
  const entries = Object.entries(node.properties ?? {})
  const groups = entries.filter(([, child]) => objectOf(child)).map(([name]) => `\`${name}\``)
  const rows = entries.flatMap(([name, child]) => (objectOf(child) ? [] : [describeKey(name, child, node)]))
  return [...rows, `- With sections of their own: ${groups.join(', ')}`].join('\n')
}

/** Keys of a small group within stand in the same list. */
function listKeys(node: SchemaNode, prefix = ''): string {
  const rows = Object.entries(node.properties ?? {}).map(([name, child]) =>
    child.properties && Object.keys(child.properties).length <= SMALL_GROUP
      ? listKeys(child, `${prefix}${name}.`)
      : describeKey(`${prefix}${name}`, child, node),
  )
  return rows.join('\n')
}

const SMALL_GROUP = 2

function describeKey(name: string, child: SchemaNode, { required }: SchemaNode): string {
  const notes = [
    kind(child),
    required?.includes(name.split('.').at(-1)!) && child.default === undefined ? 'required' : '',
    isPlain(child.default) ? `default \`${JSON.stringify(child.default)}\`` : '',
  ].filter(Boolean)
  const about = escapeText(child.description ?? '')
  return `- \`${name}\`${notes.length > 0 ? ` (${notes.join(', ')})` : ''}${about && `: ${about}`}`
}

function isPlain(value: unknown): boolean {
  return value !== undefined && (typeof value !== 'object' || value === null)
}

/** Nothing of a text: most values are one. */
function kind(node: SchemaNode): string {
  if (node.enum) return node.enum.map((value) => `\`${String(value)}\``).join(', ')
  if (node.anyOf) return [...new Set(node.anyOf.map((one) => kind(one) || 'text'))].join(' or ')
  if (node.type === 'array') return 'list'
  if (node.type === 'object' && typeof node.additionalProperties === 'object' && !node.properties) return 'map'
  if (node.type === 'string' || (node.type === 'object' && node.properties)) return ''
  return Array.isArray(node.type) ? node.type.join(' or ') : (node.type ?? 'any')
}

function escapeText(text: string): string {
  return text.replaceAll('<', '\\<')
}
