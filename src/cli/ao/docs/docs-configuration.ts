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
    table(root),
    '## projects.<id>',
    typeof project === 'object' ? table(project) : '',
    ...nested(root, '', ['projects']),
    ...(typeof project === 'object' ? nested(project, 'projects.<id>.', ['reactions']) : []),
  ]
  return `${sections.filter(Boolean).join('\n\n')}\n`
}

const INTRODUCTION = `# Configuration

<!-- Written by \`ao __docs configuration\` from the keys declared in src/contract/config; a test keeps it up to date. -->

\`agent-orchestrator.yaml\` is found by walking up from the current directory; in a linked worktree that of the main checkout counts. \`AO_CONFIG_PATH\` or \`--config\` names another
one. \`ao init\` writes a first one, \`ao config validate\` checks it, \`ao config show\` prints the effective configuration, \`ao config show --origin\`
where each value is from, and \`ao config schema\` prints the JSON Schema for editors.

## Layers

Four layers, the later one wins: defaults, your own file, the repository's file, a few environment variables.

Your own file is \`$XDG_CONFIG_HOME/agent-orchestrator/config.yaml\` (\`~/.config/agent-orchestrator/config.yaml\`; with \`AO_HOME\` only the one below it;
\`AO_GLOBAL_CONFIG\` names another one). It has the same keys and may leave out \`projects\`. It needs no consent. Where no
\`agent-orchestrator.yaml\` is found, it is the configuration, with its own \`projects\`.

| keys | both files have them |
|---|---|
| \`projects\`, \`$schema\` | the repository's file alone counts |
| \`dashboard\`, \`lifecycle\`, \`defaults\`, \`defaults.worker\`, \`defaults.orchestrator\` and their \`agentConfig\`, \`notificationRouting\`, each of \`reactions\` | key by key |
| \`plugins.<slot>\`, \`notifiers.<name>\`, \`webhooks.<plugin>\`, \`accounts.<name>\` | one as a whole: options of one plugin mean nothing to another |
| \`defaults.environment.deny\`, \`plugins.external\` | both lists, yours first; relative paths are relative to their own file |
| other lists, texts, numbers, switches | the repository's value |

**Your own safety is yours to decide.** Where a value needs [consent](trust.md), in your file or in the repository's, and both files
have that key, your value stays. What your file says in \`defaults.worker.agentConfig.permissions\` and \`defaults.environment.allow\` is
also a limit for \`projects\`: a repository may make agents ask more often and get fewer variables, not the other way round.
\`ao config show --origin\` names every key that is not in effect for this reason. To let one repository do more, remove the
key from your file and agree to the repository's with \`ao config trust\`.

| variable | key |
|---|---|
${VARIABLE_KEYS.map(({ variable, path }) => `| \`${variable}\` | \`${path.join('.')}\` |`).join('\n')}

A project's own \`agent\` or \`runtime\` is more specific than \`defaults\`, wherever that was set.

## Values

\`\${NAME}\` and \`\${NAME:-default}\` in values are replaced from the environment; \`$\${\` stands for itself. Durations are a number
with \`s\`, \`m\` or \`h\`. Choose a \`sessionPrefix\` of 2 to 4 characters that describes the project (\`app\`, \`api\`, \`web\`) and is not
the name of a common command.`

function nested(node: SchemaNode, prefix: string, except: string[]): string[] {
  return Object.entries(node.properties ?? {}).flatMap(([name, child]) => {
    if (except.includes(name)) return []
    const inner = objectOf(child)
    return inner ? [`## ${prefix}${name}`, child.description ?? '', table(inner)] : []
  })
}

/** The object under a key: the key's own, or that of each of its entries. */
function objectOf(node: SchemaNode): SchemaNode | null {
  if (node.properties && Object.keys(node.properties).length > 0) return node
  if (typeof node.additionalProperties === 'object' && node.additionalProperties.properties)
    return node.additionalProperties
  return null
}

function table(node: SchemaNode): string {
  const rows = Object.entries(node.properties ?? {}).map(([name, child]) => {
    const required = node.required?.includes(name) && child.default === undefined ? ' (required)' : ''
    const fallback = isPlain(child.default) ? `; default \`${JSON.stringify(child.default)}\`` : ''
    return `| \`${name}\` | ${kind(child)}${fallback} | ${escapeCell(child.description ?? '')}${required} |`
  })
  return ['| key | value | |', '|---|---|---|', ...rows].join('\n')
}

function isPlain(value: unknown): boolean {
  return value !== undefined && (typeof value !== 'object' || value === null)
}

function kind(node: SchemaNode): string {
  if (node.enum) return node.enum.map((value) => `\`${String(value)}\``).join(', ')
  if (node.anyOf) return node.anyOf.map(kind).join(' or ')
  if (node.type === 'array') return `list of ${node.items ? kind(node.items) : 'values'}`
  if (node.type === 'object' && typeof node.additionalProperties === 'object' && !node.properties) return 'map'
  return Array.isArray(node.type) ? node.type.join(' or ') : (node.type ?? 'any')
}

function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '\\<')
}
