// The little XML that test and coverage reports are made of: elements and attributes. Written here because it has to be safer than it
// is complete: no document types, so no entities but the five and numbers, and limits on depth and size. Pure.

export interface XmlVisitor {
  open(name: string, attributes: ReadonlyMap<string, string>): void
  close(name: string): void
}

const DEEPEST = 64
const MOST_ELEMENTS = 500_000
const MOST_ATTRIBUTES = 64

const ATTRIBUTE = /\s*([A-Za-z_][\w.:-]*)\s*=\s*("[^"<]*"|'[^'<]*')/y
const NAME = /[A-Za-z_][\w.:-]*/y
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
])

/** Throws an Error that says what is wrong with it. */
export function readXml(text: string, visitor: XmlVisitor): void {
  const stack: string[] = []
  let elements = 0
  for (let at = text.indexOf('<'); at !== -1; at = text.indexOf('<', at)) {
    if (text.startsWith('<!--', at)) at = after(text, '-->', at)
    else if (text.startsWith('<![CDATA[', at)) at = after(text, ']]>', at)
    else if (text.startsWith('<?', at)) at = after(text, '?>', at)
    else if (text.startsWith('<!', at)) throw new Error('it declares a document type, which reports do not need')
    else if (text.startsWith('</', at)) {
      const name = stack.pop()
      if (name === undefined || !text.startsWith(name, at + 2)) throw new Error('its elements do not match')
      visitor.close(name)
      at = after(text, '>', at)
    } else {
      if (++elements > MOST_ELEMENTS) throw new Error(`it has more than ${MOST_ELEMENTS} elements`)
      const { name, attributes, isEmpty, end } = readTag(text, at + 1)
      visitor.open(name, attributes)
      if (isEmpty) visitor.close(name)
      else stack.push(name)
      if (stack.length > DEEPEST) throw new Error(`it is more than ${DEEPEST} elements deep`)
      at = end
    }
  }
  if (stack.length > 0) throw new Error('it ends in the middle')
}

function readTag(text: string, start: number) {
  NAME.lastIndex = start
  const [name] = NAME.exec(text) ?? []
  if (name === undefined) throw new Error('it is not well-formed')
  const attributes = new Map<string, string>()
  let at = NAME.lastIndex
  for (;;) {
    ATTRIBUTE.lastIndex = at
    const found = ATTRIBUTE.exec(text)
    if (found === null) break
    if (attributes.size >= MOST_ATTRIBUTES) throw new Error('one of its elements has too many attributes')
    attributes.set(found[1]!, decode(found[2]!.slice(1, -1)))
    at = ATTRIBUTE.lastIndex
  }
  while (/\s/.test(text.charAt(at))) at++
  const isEmpty = text.startsWith('/>', at)
  if (!isEmpty && text.charAt(at) !== '>') throw new Error('it is not well-formed')
  return { name, attributes, isEmpty, end: at + (isEmpty ? 2 : 1) }
}

function after(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from)
  if (at === -1) throw new Error('it ends in the middle')
  return at + mark.length
}

function decode(value: string): string {
  if (!value.includes('&')) return value
  return value.replace(/&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|(\w{1,8}));/g, (whole, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES.get(name) ?? whole
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    return code > 0x10ffff ? whole : String.fromCodePoint(code)
  })
}
