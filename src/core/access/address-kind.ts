// What kind of network an IP address belongs to. Pure, because it decides who can hear us and whom we talk to.

/** own: this machine; private: RFC 1918, unique local, carrier-grade (Tailscale); special: nothing that anybody should reach. */
export type AddressKind = 'own' | 'private' | 'special' | 'public'

/** null: it is not an IP address. */
export function addressKind(text: string): AddressKind | null {
  const four = parseFour(text)
  if (four) return kindOfFour(four)
  const six = ipv6Groups(text)
  return six ? kindOfSix(six) : null
}

type Four = readonly [number, number, number, number]

function parseFour(text: string): Four | null {
  const parts = text.split('.')
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256)) return null
  return parts.map(Number) as unknown as Four
}

function kindOfFour([a, b, c]: Four): AddressKind {
  if (a === 127) return 'own'
  if (a === 10 || (a === 172 && b >= 16 && b < 32) || (a === 192 && b === 168)) return 'private'
  if (a === 100 && b >= 64 && b < 128) return 'private'
  const isSpecial = a === 0 || a >= 224 || (a === 169 && b === 254) || (a === 198 && (b === 18 || b === 19))
  return isSpecial || (a === 192 && b === 0 && c === 0) ? 'special' : 'public'
}

/** Its eight groups. A zone (`%eth0`) is not part of an address. null: it is not IPv6. */
export function ipv6Groups(text: string): number[] | null {
  const [head = '', tail, ...more] = text.toLowerCase().split('::')
  if (more.length > 0 || !text.includes(':')) return null
  const before = groupsOf(head)
  const after = tail === undefined ? [] : groupsOf(tail)
  if (before === null || after === null) return null
  const missing = 8 - before.length - after.length
  if (tail === undefined ? missing !== 0 : missing < 1) return null
  return [...before, ...Array.from({ length: missing }, () => 0), ...after]
}

function groupsOf(text: string): number[] | null {
  if (text === '') return []
  const parts = text.split(':')
  const groups: number[] = []
  for (const [index, word] of parts.entries()) {
    const four = index === parts.length - 1 ? parseFour(word) : null
    if (four) groups.push(four[0] * 256 + four[1], four[2] * 256 + four[3])
    else if (/^[0-9a-f]{1,4}$/.test(word)) groups.push(Number.parseInt(word, 16))
    else return null
  }
  return groups
}

function kindOfSix(groups: number[]): AddressKind {
  const [first = 0, second = 0, third = 0, fourth = 0, fifth = 0, sixth = 0, seventh = 0, eighth = 0] = groups
  const isZero = (...some: number[]) => some.every((group) => group === 0)
  const inner = (): Four => [seventh >> 8, seventh & 255, eighth >> 8, eighth & 255]
  if (isZero(first, second, third, fourth, fifth)) {
    if (sixth === 0xffff) return kindOfFour(inner())
    if (isZero(sixth, seventh)) return eighth === 1 ? 'own' : 'special'
    return 'special'
  }
  // Translated from IPv4: what is inside counts.
  if (first === 0x64 && second === 0xff9b) return kindOfFour(inner())
  if (first === 0x2002) return kindOfFour([second >> 8, second & 255, third >> 8, third & 255])
  if ((first & 0xfe00) === 0xfc00) return 'private'
  const isUnicast = (first & 0xe000) === 0x2000
  return isUnicast ? 'public' : 'special'
}
