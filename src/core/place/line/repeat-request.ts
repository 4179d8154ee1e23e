// A request to a host whose answer did not come: may it be repeated, and what is known of it when it may not?

/** `sent`: it may have arrived. `refused`: this time it was not passed on, or the host said no. */
export type RequestReply =
  | { kind: 'done' }
  | { kind: 'sent'; why: string }
  | { kind: 'refused'; why: string; isPassing: boolean }

export type AfterReply =
  | { next: 'done' }
  | { next: 'repeat' }
  /** `arrived: null`: unknown, so nobody may send it again as something new. */
  | { next: 'give-up'; arrived: false | null; why: string }

/** How long a broken line is waited for. */
export const REPEAT_MS = 20_000

/** `maybeSent`: an earlier attempt may have arrived. Repeating is safe, because the host carries an id out once. */
export function afterReply(
  reply: RequestReply,
  { maybeSent, elapsedMs }: { maybeSent: boolean; elapsedMs: number },
): AfterReply {
  if (reply.kind === 'done') return { next: 'done' }
  const { why } = reply
  const sent = maybeSent || reply.kind === 'sent'
  // What did not arrive is refused, and the caller decides.
  if (!sent) return { next: 'give-up', arrived: false, why }
  const canWait = reply.kind === 'sent' || reply.isPassing
  return canWait && elapsedMs <= REPEAT_MS ? { next: 'repeat' } : { next: 'give-up', arrived: null, why }
}
