use crate::world::{id, sampled, seeing};
use gateway_domain::ids::RatePlanId;
use gateway_domain_platform::pricing::{NewTariff, RatePlanChange};
use gateway_platform::PlatformError;
use jiff::civil::{Date, date};
use uuid::Uuid;

fn tariff(rate_plan: RatePlanId, start_date: Date, end_date: Date, price: &str) -> NewTariff {
    NewTariff { rate_plan, start_date, end_date, price: price.parse().unwrap(), min_stay: None }
}

fn change(id: RatePlanId, min_stay: i32) -> RatePlanChange {
    RatePlanChange { id, min_stay: Some(min_stay), name: None, currency: None }
}

#[tokio::test]
async fn a_tariff_replaces_what_it_overlaps() {
    for world in sampled().await {
        let (platform, acting, plan) = (&world.platform, seeing(&[1]), id(0xa, 0));
        let written = platform
            .pricing
            .write_tariffs(
                &acting,
                &[
                    tariff(plan, date(2026, 12, 1), date(2026, 12, 31), "99.00"),
                    tariff(plan, date(2026, 12, 10), date(2026, 12, 12), "150.00"),
                ],
            )
            .await
            .unwrap();
        assert_eq!(
            written.iter().map(|tariff| tariff.end_date).collect::<Vec<_>>(),
            [date(2026, 12, 9), date(2026, 12, 12)]
        );
        let stored =
            platform.pricing.tariffs_of_rate_plans(&[plan], None, None).await.unwrap().remove(&plan).unwrap();
        let nights: Vec<_> = stored
            .iter()
            .map(|tariff| (tariff.start_date, tariff.end_date, tariff.price.to_string()))
            .collect();
        let of = |from: Date, to: Date, place: usize| (from, to, nights[place].2.clone());
        assert_eq!(
            nights,
            [
                of(date(2026, 9, 1), date(2026, 10, 31), 0),
                of(date(2026, 11, 1), date(2026, 11, 30), 1),
                (date(2026, 12, 1), date(2026, 12, 9), "99.00".to_owned()),
                (date(2026, 12, 10), date(2026, 12, 12), "150.00".to_owned()),
                (date(2026, 12, 13), date(2026, 12, 31), "99.00".to_owned()),
                of(date(2027, 1, 1), date(2027, 2, 28), 1),
                of(date(2027, 3, 1), date(2027, 5, 31), 6),
                of(date(2027, 6, 1), date(2027, 8, 31), 7),
            ]
        );
    }
}

#[tokio::test]
async fn tariffs_are_written_all_or_none() {
    for world in sampled().await {
        let (platform, acting) = (&world.platform, seeing(&[1]));
        let (own, foreign): (RatePlanId, RatePlanId) = (id(0xa, 0), id(0xa, 10));
        let before = platform.pricing.tariffs_of_rate_plans(&[own, foreign], None, None).await.unwrap();
        let day = date(2026, 12, 1);
        let given = [tariff(own, day, day, "1.00"), tariff(foreign, day, day, "1.00")];
        let error = platform.pricing.write_tariffs(&acting, &given).await.unwrap_err();
        assert!(matches!(error, PlatformError::NotFound(missing) if missing.ids == [foreign.to_string()]));
        let given = [tariff(own, day, day, "1.00"), tariff(own, day, date(2026, 11, 1), "-1.00")];
        let error = platform.pricing.write_tariffs(&acting, &given).await.unwrap_err();
        let PlatformError::Invalid(faults) = error else { panic!("{error:?}") };
        let fields: Vec<_> = faults.iter().map(|fault| fault.field.as_str()).collect();
        assert_eq!(fields, ["tariffs[1].end_date", "tariffs[1].price"]);
        assert_eq!(
            platform.pricing.tariffs_of_rate_plans(&[own, foreign], None, None).await.unwrap(),
            before
        );
        assert!(platform.pricing.write_tariffs(&acting, &[]).await.unwrap().is_empty());
    }
}

#[tokio::test]
async fn rate_plans_are_edited_all_or_none() {
    for world in sampled().await {
        let (platform, acting) = (&world.platform, seeing(&[1]));
        let (one, two, foreign): (RatePlanId, RatePlanId, RatePlanId) = (id(0xa, 0), id(0xa, 1), id(0xa, 10));
        world.pass(60);
        let named = RatePlanChange { name: Some("Fixed".to_owned()), ..change(one, 4) };
        let edited = platform.pricing.update_rate_plans(&acting, &[change(two, 3), named]).await.unwrap();
        assert_eq!(edited.iter().map(|plan| plan.id).collect::<Vec<_>>(), [two, one]);
        assert_eq!(
            (edited[1].min_stay, edited[1].name.as_str(), edited[1].currency.as_str()),
            (4, "Fixed", "EUR")
        );
        let error = platform
            .pricing
            .update_rate_plans(&acting, &[change(one, 5), change(foreign, 5)])
            .await
            .unwrap_err();
        assert!(matches!(error, PlatformError::NotFound(missing) if missing.ids == [foreign.to_string()]));
        let unknown = RatePlanId(Uuid::nil());
        let error =
            platform.pricing.update_rate_plans(&acting, &[change(one, 5), change(one, 6)]).await.unwrap_err();
        let at = |faults: &[gateway_domain::FieldError]| faults[0].field == "rate_plans[1].id";
        assert!(matches!(&error, PlatformError::Invalid(faults) if at(faults)), "{error}");
        let error = platform.pricing.update_rate_plans(&acting, &[change(unknown, 5)]).await.unwrap_err();
        assert!(matches!(error, PlatformError::NotFound(_)));
        let error =
            platform.pricing.update_rate_plans(&acting, &[change(one, 5), change(two, 0)]).await.unwrap_err();
        assert!(
            matches!(error, PlatformError::Invalid(faults) if faults[0].field == "rate_plans[1].min_stay")
        );
        let stored = platform.pricing.rate_plans_by_ids(&acting, &[one, two, foreign]).await.unwrap();
        assert_eq!((stored.len(), stored[&one].min_stay, stored[&two].min_stay), (2, 4, 3));
    }
}

#[tokio::test]
async fn tariffs_that_are_written_at_once_never_share_a_night() {
    for world in sampled().await {
        let plan = id(0xa, 0);
        let writers = (0..6_i8).map(|n| {
            let (platform, acting) = (world.platform.clone(), seeing(&[1]));
            tokio::spawn(async move {
                let given = [tariff(plan, date(2026, 12, 1 + n), date(2026, 12, 10 + 2 * n), "50.00")];
                platform.pricing.write_tariffs(&acting, &given).await.unwrap();
            })
        });
        for writer in writers.collect::<Vec<_>>() {
            writer.await.unwrap();
        }
        let stored = world.platform.pricing.tariffs_of_rate_plans(&[plan], None, None).await.unwrap();
        let apart = |pair: &[_]| {
            let [one, next]: &[gateway_domain_lists::Stamped<gateway_domain_platform::pricing::Tariff>; 2] =
                pair.try_into().unwrap();
            one.end_date.tomorrow().unwrap() == next.start_date
        };
        assert!(stored[&plan].windows(2).all(apart), "{stored:?}");
    }
}

#[tokio::test]
async fn a_price_is_kept_as_its_currency_is_written() {
    for world in sampled().await {
        let (platform, acting, plan) = (&world.platform, seeing(&[1]), id(0xa, 0));
        let day = date(2026, 12, 1);
        let of = |day: Date, price: &str| tariff(plan, day, day, price);
        let next = day.tomorrow().unwrap();
        let written =
            platform.pricing.write_tariffs(&acting, &[of(day, "30"), of(next, "20.5")]).await.unwrap();
        let prices: Vec<_> = written.iter().map(|tariff| tariff.price.to_string()).collect();
        assert_eq!(prices, ["30.00", "20.50"]);
        let stored = platform.pricing.tariffs_of_rate_plans(&[plan], Some(day), Some(next)).await.unwrap();
        assert_eq!(
            stored[&plan].iter().map(|tariff| tariff.price).collect::<Vec<_>>(),
            [written[0].price, written[1].price]
        );
        let error =
            platform.pricing.write_tariffs(&acting, &[of(day, "1"), of(next, "1.005")]).await.unwrap_err();
        let PlatformError::Invalid(faults) = error else { panic!("{error:?}") };
        let [fault] = &*faults else { panic!("{faults:?}") };
        assert_eq!(
            (fault.field.as_str(), fault.message.as_str()),
            ("tariffs[1].price", "use at most 2 decimals: EUR has no more")
        );

        let into = |currency: &str| RatePlanChange { currency: Some(currency.to_owned()), ..change(plan, 2) };
        let error = platform.pricing.update_rate_plans(&acting, &[into("JPY")]).await.unwrap_err();
        assert!(
            matches!(&error, PlatformError::Invalid(faults) if faults[0].field == "rate_plans[0].currency"),
            "{error}"
        );
        platform.pricing.update_rate_plans(&acting, &[into("USD")]).await.unwrap();
    }
}
