// `ao __docs configuration`: prints docs/configuration.md from the schema.

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

<!-- Written by \`ao __docs configuration\` from the schema in src/contract/config.ts; a test keeps it up to date. -->

\`agent-orchestrator.yaml\` is found by walking up from the current directory. \`AO_CONFIG_PATH\` or \`--config\` names another
one; without any, \`$XDG_CONFIG_HOME/agent-orchestrator/config.yaml\` is used. \`ao init\` writes a first one, \`ao config validate\`
checks it, \`ao config show\` prints what is in effect, and \`ao config schema\` prints the JSON Schema for editors.

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
