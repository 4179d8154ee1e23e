// The short prefix of session ids, from a project's id. Four rules, applied in order.

export function deriveSessionPrefix(projectId: string): string {
  if (projectId.length <= 4) return projectId
  const uppercase = projectId.match(/[A-Z]/g) ?? []
  if (uppercase.length > 1) return uppercase.join('').toLowerCase()
  const initials = initialsOfParts(projectId)
  if (initials !== '') return initials
  return projectId.slice(0, 3).toLowerCase()
}

/** '' when there are no parts. A dash separates more strongly than an underscore. */
function initialsOfParts(projectId: string): string {
  const separator = ['-', '_'].find((one) => projectId.includes(one))
  if (separator === undefined) return ''
  const initials = projectId.split(separator).map((part) => part.replace(/^[-_]+/, '').charAt(0))
  return initials.join('').toLowerCase()
}
