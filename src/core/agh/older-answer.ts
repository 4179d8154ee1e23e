// What daemons before protocol 2 left out of their answers, so that the commands of today can show them.

export function fillOlderAnswer(route: string, answer: unknown): unknown {
  if (route === 'GET /api/sessions') return { damaged: [], ...(answer as object) }
  if (route !== 'GET /api/observe/health') return answer
  const observed = answer as { sessions: object[] }
  return {
    damaged: [],
    ...observed,
    sessions: observed.sessions.map((session) => ({ pending_permissions: [], ...session })),
  }
}
