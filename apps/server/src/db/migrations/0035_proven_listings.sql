-- An own listing stands in place of what other sources say of a business only while its website is proven: anyone can publish a
-- listing with the name and the website of a business that is not theirs.
create or replace function app.merge_listings(keys text[]) returns void language plpgsql as $$
begin
  -- An update fires its trigger also without a row.
  if cardinality(keys) = 0 then return; end if;
  update app.listings l set leads = s.leads
  from (
    select a.id, not exists (
      select from app.listings b where b.merge_key = a.merge_key and b.rank < a.rank and b.blocked_at is null
        and (b.source <> 'own' or exists (
          select from app.website_proofs p where p.listing_id = b.id and p.status = 'verified'))
    ) as leads
    from app.listings a where a.merge_key = any(keys)
  ) s
  where l.id = s.id and l.leads <> s.leads;
end $$;

-- A proof that is found, or lost, changes which listing of its business leads.
create function app.website_proofs_changed() returns trigger language plpgsql as $$
begin
  perform app.merge_listings(array(
    select l.merge_key from app.listings l
    where l.id = coalesce(new.listing_id, old.listing_id) and l.merge_key is not null));
  return null;
end $$;
create trigger website_proofs_found after update of status on app.website_proofs
  for each row when (old.status is distinct from new.status) execute function app.website_proofs_changed();
create trigger website_proofs_ended after delete on app.website_proofs
  for each row when (old.status = 'verified') execute function app.website_proofs_changed();

select app.merge_listings(array(
  select distinct merge_key from app.listings where source = 'own' and merge_key is not null));
