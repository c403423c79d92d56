-- Limits of mails count mailboxes, not spellings of their addresses. The stored addresses stay as they were typed.

-- The domain of an address for limits: in lower case, and one domain for the domains that name the same mailboxes.
create function app.mailbox_domain(address text) returns text language sql immutable strict parallel safe as $$
  select case
      when domain = 'googlemail.com' then 'gmail.com'
      when domain in ('me.com', 'mac.com') then 'icloud.com'
      when domain in ('protonmail.com', 'protonmail.ch', 'pm.me') then 'proton.me'
      when domain in ('ya.ru', 'yandex.com', 'yandex.by', 'yandex.kz', 'yandex.ua') then 'yandex.ru'
      -- Fastmail delivers name@user.fastmail.com to user@fastmail.com.
      when domain ~ '^[^.]+\.fastmail\.(com|fm)$' then regexp_replace(domain, '^[^.]+\.', '')
      else domain
    end
  from (select lower(substring(address from '@([^@]*)$')) as domain) parts
$$;

-- The mailbox of an address for limits: in lower case, without what follows a plus in the local part, and by the rules of the
-- large providers. Where a rule is wrong, two mailboxes share a limit.
create function app.mailbox_key(address text) returns text language sql immutable strict parallel safe as $$
  select case
      when domain = 'gmail.com' then replace(local, '.', '')
      when domain = 'proton.me' then translate(local, '.-_', '')
      -- Yahoo: base-keyword is a disposable address of base.
      when domain ~ '^(yahoo\.[a-z.]+|ymail\.com|rocketmail\.com)$' then split_part(local, '-', 1)
      when domain = 'yandex.ru' then replace(local, '-', '.')
      when subdomain <> '' then subdomain
      else local
    end || '@' || domain
  from (
    select split_part(split_part(lower(address), '@', 1), '+', 1) as local, app.mailbox_domain(address) as domain,
      coalesce(substring(lower(address) from '@([^.@]+)\.fastmail\.(?:com|fm)$'), '') as subdomain
  ) parts
$$;

create function app.hash_mailbox(address text) returns bytea language sql immutable strict parallel safe as $$
  select sha256(convert_to(app.mailbox_key(address), 'UTF8'))
$$;

create function app.hash_domain(address text) returns bytea language sql immutable strict parallel safe as $$
  select sha256(convert_to(app.mailbox_domain(address), 'UTF8'))
$$;

-- SHA-256 of the domain; null for mails that no limit of a domain counts.
alter table app.mail add column domain_hash bytea;
create index mail_domain on app.mail (domain_hash, created_at) where kind = 'confirm';
